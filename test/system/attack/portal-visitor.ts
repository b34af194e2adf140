import type { RandomChoices } from './random-choices.ts'

/** A form of a page, with the values that a person could send. */
export type PortalForm = {
  readonly action: string
  readonly isMultipart: boolean
  readonly fields: Record<string, string>
}

export type PortalAnswer = {
  readonly status: number
  readonly text: string
  readonly location: string
}

const unescaped = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

const attribute = (tag: string, name: string) =>
  unescaped(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '')

/** A browser without script at the portal, with the cookies of one session. */
export class PortalVisitor {
  readonly #origin: string
  readonly #cookies = new Map<string, string>()
  /** The path of the session, which contains its key. */
  base = '/portal'
  requests = 0

  constructor(origin: string) {
    this.#origin = origin
  }

  /** @returns whether the portal accepted the secret */
  async signIn(clientId: string, clientSecret: string): Promise<boolean> {
    const form = new URLSearchParams({ client_id: clientId, client_secret: clientSecret })
    const { status, location } = await this.#fetch('/portal/sign-in', form)
    this.base = /^\/portal\/s-[0-9a-f]+/.exec(location)?.[0] ?? this.base
    return status === 303
  }

  open(path: string): Promise<PortalAnswer> {
    return this.#fetch(path.replace('/portal', this.base))
  }

  submit({ action, fields, isMultipart }: PortalForm): Promise<PortalAnswer> {
    const body = isMultipart ? new FormData() : new URLSearchParams()
    for (const [name, value] of Object.entries(fields)) body.append(name, value)
    return this.#fetch(action, body)
  }

  /** A visitor with these cookies at the paths of another session. */
  withBaseOf(other: PortalVisitor): PortalVisitor {
    const mixed = new PortalVisitor(this.#origin)
    for (const [name, value] of this.#cookies) mixed.#cookies.set(name, value)
    mixed.base = other.base
    return mixed
  }

  async #fetch(path: string, body?: URLSearchParams | FormData): Promise<PortalAnswer> {
    this.requests += 1
    const response = await fetch(this.#origin + path, {
      method: body === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { cookie: [...this.#cookies.values()].join('; '), origin: this.#origin },
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(30_000),
    })
    for (const text of response.headers.getSetCookie()) {
      const [pair = ''] = text.split(';', 1)
      this.#cookies.set(pair.split('=', 1).join(), pair)
    }
    const location = response.headers.get('location') ?? ''
    return { status: response.status, location, text: await response.text() }
  }
}

/** The forms of a page. Random choices fill in what a person would. */
export function formsOf(text: string, random: RandomChoices): PortalForm[] {
  return [...text.matchAll(/<form method="post" action="([^"]*)"([^>]*)>([\s\S]*?)<\/form>/g)].map(
    ([, action = '', attributes = '', content = '']) => {
      const fields: Record<string, string> = {}
      for (const [tag] of content.matchAll(/<(input|textarea)[^>]*>/g)) {
        const [name, type] = [attribute(tag, 'name'), attribute(tag, 'type')]
        if (name === '') continue
        const isChoice = type === 'checkbox' || type === 'radio'
        if (isChoice && random.isLikely(0.5)) continue
        fields[name] = attribute(tag, 'value') || (isChoice ? 'on' : `attack ${random.below(1e6)}`)
      }
      for (const [, name = '', options = ''] of content.matchAll(
        /<select[^>]* name="([^"]*)"[^>]*>([\s\S]*?)<\/select>/g,
      )) {
        const values = [...options.matchAll(/<option[^>]* value="([^"]*)"/g)].map(([, one]) => one)
        if (values.length > 0) fields[name] = unescaped(random.oneOf(values) ?? '')
      }
      return { action: unescaped(action), isMultipart: attributes.includes('multipart'), fields }
    },
  )
}
