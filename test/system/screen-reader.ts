import type { Page } from 'playwright-core'

type Node = {
  readonly nodeId: string
  readonly ignored: boolean
  readonly role?: { readonly value: string }
  readonly name?: { readonly value: string }
  readonly childIds?: readonly string[]
}

const named = /^(?:button|link|combobox|textbox|searchbox|checkbox|radio|table|navigation|region)$/
const landmarks = ['banner', 'navigation', 'main']

/** What is wrong with the tree of a page that a screen reader reads: one row for each kind. */
const kinds: Readonly<Record<string, (all: readonly Node[]) => readonly string[]>> = {
  'has no name': (all) =>
    all.filter((one) => named.test(roleOf(one)) && nameOf(one) === '').map(roleOf),
  'has no text': (all) =>
    all.filter((one) => roleOf(one) === 'strong' && !one.childIds?.length).map(roleOf),
  'reads a symbol': (all) =>
    all.filter((one) => roleOf(one) === 'StaticText' && /[✓✕↑↓→]/.test(nameOf(one))).map(nameOf),
  'has a name that does not say what it changes': (all) => {
    const names = all
      .filter((one) => /^(?:button|DisclosureTriangle)$/.test(roleOf(one)))
      .map(nameOf)
    return names.filter((one, index) => names.indexOf(one) !== index || !one.includes(' '))
  },
  'is missing': (all) => landmarks.filter((role) => !all.some((one) => roleOf(one) === role)),
}

const roleOf = ({ role }: Node): string => role?.value ?? ''
const nameOf = ({ name }: Node): string => (name?.value ?? '').trim()

/** The faults of the accessibility tree of the current page. */
export async function treeFaults(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page)
  const { nodes } = (await session.send('Accessibility.getFullAXTree')) as { nodes: Node[] }
  await session.detach()
  const shown = nodes.filter(({ ignored }) => !ignored)
  return Object.entries(kinds).flatMap(([kind, find]) => find(shown).map((one) => `${one} ${kind}`))
}
