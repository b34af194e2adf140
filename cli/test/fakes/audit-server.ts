import type { TestContext } from 'node:test'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import { answeringAs } from '../commands/registrations/fetch-server.ts'
import { serving } from './servers.ts'
import { RecordedTerminal } from './terminal.ts'

export type FakeRecord = {
  readonly id: string
  readonly at: string
  readonly tenantId: string | null
  readonly actor: string
  readonly action: string
  readonly target: string | null
  readonly outcome: string
  readonly reason: string | null
  readonly correlationId: string | null
}

const administrator = {
  TENANT_ID: '8d6f5e30-0c3b-4f0e-9d35-7c6a4e4f1f11',
  CLIENT_ID: '0d3f3f5e-1c1a-4a38-9c0d-0a5d7e0a1b11',
  CLIENT_SECRET: 'canary~secret-of-the-administrator',
}
const token = 'canary-token-of-the-administrator'

/** A record of the second `at`, with default values for the other members. */
export const recordAt = (at: number, part: Partial<FakeRecord> = {}): FakeRecord => ({
  id: at.toString(16).padStart(12, '0'),
  at: new Date(at * 1000 + 123).toISOString(),
  tenantId: null,
  actor: 'system',
  action: 'directory.found',
  target: null,
  outcome: 'done',
  reason: null,
  correlationId: null,
  ...part,
})

/** A fake identity provider with the requests of `greeting audit`, and a terminal for the command. */
export class AuditServer {
  readonly logs: Record<string, FakeRecord[]> = { directory: [], signIns: [] }
  /** Every received query. */
  readonly queries: Record<string, string>[] = []
  readonly environment: Record<string, string> = { ...administrator }
  readonly terminal = new RecordedTerminal()
  /** The maximum number of records of a page, above the limit of a query too. */
  pageSize = 1000
  /** Answers that replace those of the audit log or of the token endpoint. */
  instead: { audit?: () => Response; token?: () => Response } = {}
  readonly #folder = freshFolder()

  static async start(test: TestContext): Promise<AuditServer> {
    const server = new AuditServer()
    const url = await serving(test, answeringAs(server.#handle))
    Object.assign(server.environment, { AUTH_URL: url, GRAPH_URL: url })
    return server
  }

  /** Runs `greeting audit ...` and resolves with its exit code and output. */
  async run(...args: readonly string[]) {
    const { terminal } = this
    const all = ['audit', '--data-dir', this.#folder, ...args]
    const code = await terminal.run(all, this.environment)
    const { out, err } = terminal
    return { code, out, err, seesSecret: /canary/.test(out + err) }
  }

  readonly #handle = async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname.endsWith('/oauth2/v2.0/token')) return this.#grant(await request.text())
    if (pathname !== '/management/audit') return new Response(null, { status: 404 })
    if (request.headers.get('authorization') !== `Bearer ${token}`)
      return new Response(null, { status: 401 })
    const query = Object.fromEntries(searchParams)
    this.queries.push(query)
    return this.instead.audit?.() ?? this.#page(query)
  }

  #grant(form: string): Response {
    const isRight = new URLSearchParams(form).get('client_secret') === administrator.CLIENT_SECRET
    if (this.instead.token) return this.instead.token()
    return isRight
      ? Response.json({ token_type: 'Bearer', expires_in: 3599, access_token: token })
      : Response.json(
          { error: 'invalid_client', error_description: 'AADSTS7000215: Invalid.' },
          { status: 401 },
        )
  }

  #page({ log = '', limit, before }: Record<string, string>): Response {
    const found = (this.logs[log] ?? [])
      .toSorted((a, b) => (a.id < b.id ? 1 : -1))
      .filter(({ id }) => before === undefined || id < before)
    const value = found.slice(0, Math.min(Number(limit), this.pageSize))
    const next = found.length > value.length ? value.at(-1)?.id : null
    return Response.json({ value, next })
  }
}
