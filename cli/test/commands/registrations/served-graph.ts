import { writeFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { GraphTenant } from '../../../../test/fixtures/graph/graph-tenant.ts'
import { sharedEntra } from '../../../../test/fixtures/graph/shared-entra.ts'
import { type Closing, serving } from '../../fakes/servers.ts'
import { RecordedTerminal } from '../../fakes/terminal.ts'
import { answeringAs } from './fetch-server.ts'

const entra = sharedEntra()

/** A tenant behind a socket, and a terminal for the command. */
export class ServedGraph {
  readonly tenant: GraphTenant
  readonly folder: string
  readonly environment: Record<string, string>

  private constructor(folder: string, tenant: GraphTenant) {
    this.folder = folder
    this.tenant = tenant
    this.environment = { ...tenant.administrator }
  }

  static async start(test: Closing): Promise<ServedGraph> {
    const folder = freshFolder()
    const served = new ServedGraph(folder, await GraphTenant.create(await entra()))
    const answer = answeringAs((request) => {
      const { pathname } = new URL(request.url)
      served.onRequest?.(`${request.method} ${pathname.replace('/v1.0', '')}`)
      return served.tenant.handle(request)
    })
    const url = await serving(test, (incoming, outgoing) => {
      served.#count(incoming.socket)
      return answer(incoming, outgoing)
    })
    Object.assign(served.environment, { AUTH_URL: url, GRAPH_URL: url })
    return served
  }

  /** The number of open sockets, and its maximum. */
  readonly sockets = { open: new Set<Socket>(), most: 0 }
  /** Receives every request before it is answered. */
  onRequest?: (line: string) => void

  #count(socket: Socket): void {
    const { sockets } = this
    if (sockets.open.has(socket)) return
    sockets.open.add(socket)
    sockets.most = Math.max(sockets.most, sockets.open.size)
    socket.once('close', () => sockets.open.delete(socket))
  }

  /** Writes a registrations file and resolves with its path. */
  async file(content: unknown, name = 'registrations.json'): Promise<string> {
    const path = join(this.folder, name)
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
    return path
  }

  /** Runs `greeting registrations ...` and resolves with its exit code and output. */
  async run(args: readonly string[], answer?: string) {
    const terminal = new RecordedTerminal()
    if (answer !== undefined) terminal.ask = async (question) => this.#asked(question, answer)
    const all = ['registrations', ...args, '--data-dir', this.folder]
    const code = await terminal.run(all, this.environment)
    const { out, err } = terminal
    return { code, out, err, questions: this.questions }
  }

  readonly questions: string[] = []

  #asked(question: string, answer: string): string {
    this.questions.push(question)
    return answer
  }
}
