import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

// Codes of the first message of a connection.
// @see https://www.postgresql.org/docs/current/protocol-message-formats.html
const codes = { startup: 196_608, ssl: 80_877_103 }

/** The parameters that PgBouncer accepts at the start of a connection. It refuses all others. */
const accepted: ReadonlySet<string> = new Set([
  ...['user', 'database', 'application_name', 'client_encoding'],
  ...['datestyle', 'timezone', 'standard_conforming_strings'],
])

/** Messages of a client that PostgreSQL answers with `ReadyForQuery`: Query, Sync and FunctionCall. */
const synchronizing: ReadonlySet<string> = new Set(['Q', 'S', 'F'])

type Message = { readonly type: string; readonly bytes: Buffer }
type Receive = (message: Message) => void

/**
 * Stands in for PgBouncer in transaction mode: a connection to PostgreSQL belongs to a client for one
 * transaction only, and keeps the settings of its session. The server must trust its users.
 */
export class TransactionPooler {
  readonly #server: Server
  readonly #serverPort: number
  readonly #connections = new Map<string, Upstream[]>()
  readonly #waiting: { readonly name: string; readonly take: (one: Upstream) => void }[] = []
  readonly #maxConnections: number

  private constructor(serverPort: number, maxConnections: number) {
    this.#serverPort = serverPort
    this.#maxConnections = maxConnections
    this.#server = createServer({ noDelay: true }, (socket) => this.#welcome(socket))
  }

  /** @param maxConnections the connections to PostgreSQL for each user and database */
  static async start(serverPort: number, maxConnections = 4): Promise<TransactionPooler> {
    const pooler = new TransactionPooler(serverPort, maxConnections)
    pooler.#server.listen(0, '127.0.0.1')
    await once(pooler.#server, 'listening')
    return pooler
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Closes all connections. */
  async stop(): Promise<void> {
    for (const one of [...this.#connections.values()].flat()) one.socket.destroy()
    this.#connections.clear()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #welcome(socket: Socket): void {
    socket.on('error', () => undefined)
    socket.once('data', (first) => {
      if (first.readInt32BE(4) === codes.ssl) {
        socket.write('N')
        this.#welcome(socket)
        return
      }
      const texts = first.subarray(8).toString().split('\0')
      const names = texts.filter((text, index) => index % 2 === 0 && text !== '')
      const unknown = names.find((name) => !accepted.has(name))
      if (unknown !== undefined) {
        const fault = `SFATAL\0C08P01\0Munsupported startup parameter: ${unknown}\0\0`
        socket.end(messageOf('E', Buffer.from(fault)))
        return
      }
      const name = `${texts[names.indexOf('user') * 2 + 1]} ${texts[names.indexOf('database') * 2 + 1]}`
      socket.write(messageOf('R', Buffer.alloc(4)))
      socket.write(messageOf('K', Buffer.alloc(8)))
      socket.write(messageOf('Z', Buffer.from('I')))
      this.#serve(socket, name)
    })
  }

  #serve(socket: Socket, name: string): void {
    let upstream: Upstream | undefined
    let isWaiting = false
    let unanswered = 0
    let unsent: Buffer[] = []
    const send = (bytes: Buffer) => (upstream ? upstream.socket.write(bytes) : unsent.push(bytes))
    const release = () => {
      const released = upstream
      upstream = undefined
      if (released) this.#release(name, released)
    }
    const take = (taken: Upstream) => {
      isWaiting = false
      upstream = taken
      taken.receive = ({ type, bytes }) => {
        socket.write(bytes)
        if (type !== 'Z') return
        unanswered -= 1
        if (unanswered === 0 && bytes.at(-1) === 'I'.charCodeAt(0)) release()
      }
      taken.ended = () => socket.destroy()
      for (const bytes of unsent) taken.socket.write(bytes)
      unsent = []
    }
    readMessages(socket, ({ type, bytes }) => {
      if (type === 'X') {
        socket.end()
        return
      }
      if (synchronizing.has(type)) unanswered += 1
      send(bytes)
      if (upstream === undefined && !isWaiting) {
        isWaiting = true
        this.#acquire(name, take)
      }
    })
    socket.on('close', () => {
      // A transaction that its client left is not given to another one.
      upstream?.socket.destroy()
      if (upstream) this.#forget(name, upstream)
      upstream = undefined
    })
  }

  #acquire(name: string, take: (one: Upstream) => void): void {
    const all = this.#connections.get(name) ?? []
    this.#connections.set(name, all)
    const idle = all.find(({ isIdle }) => isIdle)
    if (idle) {
      idle.isIdle = false
      take(idle)
    } else if (all.length < this.#maxConnections) {
      const [user = '', database = ''] = name.split(' ')
      const opened = new Upstream(this.#serverPort, { user, database })
      opened.ended = () => this.#forget(name, opened)
      all.push(opened)
      opened.ready(() => take(opened))
    } else this.#waiting.push({ name, take })
  }

  #release(name: string, one: Upstream): void {
    one.ended = () => this.#forget(name, one)
    const next = this.#waiting.findIndex((waiting) => waiting.name === name)
    const [waiting] = next === -1 ? [] : this.#waiting.splice(next, 1)
    if (waiting) waiting.take(one)
    else one.isIdle = true
  }

  #forget(name: string, one: Upstream): void {
    const rest = this.#connections.get(name)?.filter((other) => other !== one) ?? []
    this.#connections.set(name, rest)
  }
}

/** A connection of the pooler to PostgreSQL. */
class Upstream {
  readonly socket: Socket
  isIdle = false
  receive: Receive = () => undefined
  ended: () => void = () => undefined

  constructor(
    port: number,
    { user, database }: { readonly user: string; readonly database: string },
  ) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true })
    this.socket.on('error', () => undefined)
    this.socket.on('close', () => this.ended())
    const text = Buffer.from(`user\0${user}\0database\0${database}\0\0`)
    const head = Buffer.alloc(8)
    head.writeInt32BE(8 + text.length)
    head.writeInt32BE(codes.startup, 4)
    this.socket.write(Buffer.concat([head, text]))
    readMessages(this.socket, (message) => this.receive(message))
  }

  /** Calls a function when PostgreSQL accepts queries. */
  ready(call: () => void): void {
    this.receive = ({ type }) => {
      if (type === 'Z') call()
    }
  }
}

function messageOf(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(4 + content.length, 1)
  return Buffer.concat([head, content])
}

/** Splits what a socket receives into the messages of the protocol, which have a type and a length. */
function readMessages(socket: Socket, receive: Receive): void {
  let rest: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 5) {
      const end = 1 + rest.readInt32BE(1)
      if (rest.length < end) return
      const bytes = rest.subarray(0, end)
      rest = rest.subarray(end)
      receive({ type: String.fromCharCode(bytes[0] ?? 0), bytes })
    }
  })
}
