/** The element that index.html has under this id. Throws when it has none, or one of another kind: a fault of the build. */
export function byId<Kind extends Element>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`index.html has no ${kind.name} #${id}`);
}

export interface Setup {
  class?: string;
  text?: string;
  /** Attributes as in HTML; `style` is not among them, since the page's own policy forbids it. */
  attributes?: Readonly<Record<string, string>>;
}

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  setup: Setup = {},
  children: readonly Node[] = [],
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  if (setup.class !== undefined) made.className = setup.class;
  if (setup.text !== undefined) made.textContent = setup.text;
  for (const [name, value] of Object.entries(setup.attributes ?? {})) made.setAttribute(name, value);
  made.append(...children);
  return made;
}
