/** `<copy-button data-text="…" data-label="Copy">`: copies the text. Without a script it is not there. */
class CopyButton extends HTMLElement {
  connectedCallback(): void {
    if (this.firstChild !== null) return;
    const label = this.dataset['label'] ?? 'Copy';
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.setAttribute('aria-label', label);
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
