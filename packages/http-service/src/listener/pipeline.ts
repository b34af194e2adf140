import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** The part of Node's parser that is not in its documents. Nothing else stops it between two requests of one read. */
type Parser = {
  /** Creates the response. The parser stops after the header of the request when it returns `stop`. */
  onIncoming: (
    request: IncomingMessage & { readonly upgrade?: boolean },
    keepAlive: boolean,
  ) => number
  readonly resume: () => void
  readonly execute: (bytes: Buffer) => unknown
}
/** The key of the line in its socket. A minor collection would copy what a `WeakMap` contains. */
const lineKey = Symbol('line')
type Connection = Socket & { readonly parser: Parser | null; [lineKey]?: Line }
type Line = {
  last: ServerResponse
  requests: number
  burst: number
  isWaiting: boolean
  isHeld: boolean
  /** Whether the request that waits gets the last answer of the connection. */
  isLast: boolean
  /** Its index among the lines of open connections. */
  place: number
  /** Called when the request that waits has its turn. */
  onTurn?: (() => void) | undefined
}

/** The result of a callback that stops the parser, and the code of the error that follows. */
const stop = 21
const stopCode = 'HPE_PAUSED'
/** Only a body can be late while a request waits: its header is parsed. */
const timeoutCode = 'ERR_HTTP_REQUEST_TIMEOUT'
type ParserError = NodeJS.ErrnoException & { rawPacket?: Buffer; bytesParsed?: number }

/** Requests of a connection that are answered before Node reads and accepts again. The next one waits. */
const maxBurst = 4
/** Requests that waited are answered in groups of this size. Between two groups, Node reads and accepts. */
const maxTurns = 16

/**
 * Answers the requests of one connection one after the other (RFC 9112 section 9.3.2).
 *
 * Node parses every request that it has read, gives the app all of them at the same time, and keeps
 * their answers in memory until the client reads them. Here, an answer is only created when the client
 * has read the one before. While a request waits, the bytes behind it are not parsed, and Node reads
 * no more than its buffer holds.
 */
export class Pipeline {
  readonly #maxRequests: number
  readonly #requestTimeoutMs: number
  /**
   * The lines of open connections, in an array: V8 moves a `Set` to a new table after some deletions, and the
   * old one keeps what it contained. So a minor collection would copy finished responses.
   */
  readonly #open: Line[] = []
  readonly #turns: (() => void)[] = []

  /**
   * @param maxRequests of one connection; the answer to the last one closes it
   * @param requestTimeoutMs the time for a whole request
   */
  constructor(maxRequests: number, requestTimeoutMs: number) {
    this.#maxRequests = maxRequests
    this.#requestTimeoutMs = requestTimeoutMs
  }

  /** Calls `answer` when the earlier answers of the connection have been sent, and it stays open. */
  enter(response: ServerResponse, answer: () => void): void {
    const socket = response.req.socket as Connection
    const line = socket[lineKey] ?? this.#begin(socket, response)
    const before = line.last
    line.last = response
    line.requests += 1
    line.burst += 1
    if (line.requests === this.#maxRequests) response.shouldKeepAlive = false
    if (line.burst > maxBurst || !(before === response || before.writableFinished)) {
      this.#wait(before, socket, line, answer)
      return
    }
    if (line.burst === maxBurst) setImmediate(endBurst, line)
    // The client cannot receive an answer behind the last one.
    if (socket.writable) answer()
  }

  /** The response to the latest request of a connection. */
  latestOf(socket: Duplex): ServerResponse | undefined {
    return (socket as Connection)[lineKey]?.last
  }

  /** The responses to the latest requests of all open connections. */
  get latest(): readonly ServerResponse[] {
    return this.#open.map(({ last }) => last)
  }

  /** Keeps the bytes behind a waiting request. Returns whether the error of the parser was its stop. */
  holdRest(error: ParserError, socket: Socket): boolean {
    const { code, rawPacket = Buffer.alloc(0), bytesParsed } = error
    const { [lineKey]: line, parser } = socket as Connection
    if (code !== stopCode || line === undefined || parser === null) return false
    if (!line.isHeld) hold(socket as Connection, line)
    const rest = rawPacket.subarray(bytesParsed)
    socket.pause()
    parser.resume()
    // Without bytes, the parser only completes a request without a body.
    parser.execute(rest.subarray(0, 0))
    socket.unshift(rest)
    return true
  }

  /**
   * Postpones the time limit of a request that waits, because the server does not read its body. Node
   * measures no second one, so this one begins with its turn. Returns whether it was postponed.
   */
  postpone({ code }: ParserError, socket: Socket, refuse: () => void): boolean {
    const { [lineKey]: line } = socket as Connection
    if (code !== timeoutCode || !line?.isWaiting) return false
    const response = line.last
    line.onTurn = () => {
      const limit = setTimeout(() => response.req.complete || refuse(), this.#requestTimeoutMs)
      response.once('close', () => clearTimeout(limit))
    }
    return true
  }

  #wait(before: ServerResponse, socket: Socket, line: Line, answer: () => void): void {
    line.isWaiting = true
    const turn = () => {
      if (!socket.writable) return
      endBurst(line)
      line.isWaiting = false
      line.onTurn?.()
      line.onTurn = undefined
      answer()
      socket.resume()
    }
    if (before.writableFinished) this.#answerLater(turn)
    else before.once('close', () => this.#answerLater(turn))
  }

  #answerLater(turn: () => void): void {
    if (this.#turns.push(turn) === 1) setImmediate(this.#answerSome)
  }

  readonly #answerSome = () => {
    for (const turn of this.#turns.splice(0, maxTurns)) turn()
    if (this.#turns.length > 0) setImmediate(this.#answerSome)
  }

  #begin(socket: Connection, first: ServerResponse): Line {
    const line = {
      last: first,
      requests: 0,
      burst: 0,
      isWaiting: false,
      isHeld: false,
      isLast: false,
      place: this.#open.length,
    }
    socket[lineKey] = line
    this.#open.push(line)
    socket.once('close', () => this.#end(line))
    const { parser } = socket
    if (parser !== null) {
      const receive = parser.onIncoming
      parser.onIncoming = (request, keepAlive) => {
        // Node changes it when the server ignores the protocol that a client asks for.
        const { upgrade } = request
        const result = receive(request, keepAlive)
        if (!line.isWaiting) return result
        if (!upgrade || line.isLast) return stop
        // Node reports no stop of such a request, and loses the bytes behind it.
        line.isLast = true
        line.last.shouldKeepAlive = false
        return result
      }
    }
    return line
  }

  #end({ place }: Line): void {
    const moved = this.#open.pop()
    if (moved === undefined || moved.place === place) return
    this.#open[place] = moved
    moved.place = place
  }
}

function endBurst(line: Line): void {
  line.burst = 0
}

/** Puts a gate before the parser. Until then, the parser reads from the system without a stream. */
function hold(socket: Connection, line: Line): void {
  const [feed] = socket.listeners('data') as [(bytes: Buffer) => void]
  line.isHeld = true
  socket.on('data', (bytes: Buffer) => {
    // A closed connection has no parser: Node gives it to another one.
    if (socket.parser === null) return
    if (line.isWaiting) {
      socket.pause()
      socket.unshift(bytes)
    } else feed(bytes)
  })
  socket.removeListener('data', feed)
  // Node may have stopped reading. An empty chunk lets the stream begin again.
  socket.push(Buffer.alloc(0))
}
