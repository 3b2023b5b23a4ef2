/**
 * Once a second hundreds of figures are written of which few have changed. What is the same is not touched, and a
 * text node is changed in place: nothing is laid out or read out anew for nothing.
 */
export function writeText(node: Element, text: string): void {
  const { firstChild } = node;
  if (firstChild instanceof Text && firstChild === node.lastChild) {
    if (firstChild.data !== text) firstChild.data = text;
  } else if (node.textContent !== text) node.textContent = text;
}

/** Null takes the attribute away. */
export function writeAttribute(node: Element, name: string, value: string | null): void {
  if (node.getAttribute(name) === value) return;
  if (value === null) node.removeAttribute(name);
  else node.setAttribute(name, value);
}

export function show(node: HTMLElement, isShown: boolean): void {
  if (node.hidden === isShown) node.hidden = !isShown;
}

/** Makes as many children as wanted, and takes away what is too much. */
export function sizeTo(parent: Element, count: number, make: () => Element): void {
  while (parent.childElementCount > count) parent.lastElementChild?.remove();
  while (parent.childElementCount < count) parent.append(make());
}
