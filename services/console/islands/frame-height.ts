/** `<frame-height data-origins="https://app.example">`: tells the page around this one how high it is, and nobody else. */
class FrameHeight extends HTMLElement {
  #told = 0;

  connectedCallback(): void {
    if (window.parent === window) return;
    const allowed = (this.dataset['origins'] ?? '').split(' ');
    // Not every browser says who is around; the message reaches those that are named, whoever is.
    const around = window.location.ancestorOrigins?.[0];
    const origins = around === undefined ? allowed : allowed.filter((origin) => origin === around);
    new ResizeObserver(() => this.#tell(origins)).observe(document.body);
  }

  #tell(origins: readonly string[]): void {
    const height = document.body.scrollHeight;
    if (height === this.#told) return;
    this.#told = height;
    for (const origin of origins) window.parent.postMessage({ type: 'hookline:height', height }, origin);
  }
}

customElements.define('frame-height', FrameHeight);
