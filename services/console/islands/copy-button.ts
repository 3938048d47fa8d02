/** `<copy-button data-text="…" data-label="Copy">`: copies the text. Without a script it is not there. */
class CopyButton extends HTMLElement {
  connectedCallback(): void {
    if (this.firstChild !== null) return;
    const button = document.createElement('button');
    Object.assign(button, { type: 'button', className: 'copy', textContent: 'Copy' });
    button.setAttribute('aria-label', this.dataset['label'] ?? 'Copy');
    button.addEventListener('click', () => void this.#copy(button));
    this.append(button);
  }

  async #copy(button: HTMLButtonElement): Promise<void> {
    try {
      await navigator.clipboard.writeText(this.dataset['text'] ?? '');
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Not copied';
    }
    setTimeout(() => (button.textContent = 'Copy'), 2_000);
  }
}

customElements.define('copy-button', CopyButton);
