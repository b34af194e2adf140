import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { parserAnswerText } from './malformed-request.ts'

/** How long a connection that was refused may stay half open: the client reads why, and closes. */
const lingerMs = 1000

/** Ends connections on which something came that is no request, after the answers that they await. */
export class ConnectionErrors {
  readonly #lastAnswers = new WeakMap<Duplex, ServerResponse>()
  readonly #refused = new WeakSet<Duplex>()

  /** Notes that a request is about to be answered; to be called for each one. */
  begin(response: ServerResponse): void {
    this.#lastAnswers.set(response.req.socket, response)
  }

  /** Listens to `clientError` of Node's server. */
  readonly end = (error: NodeJS.ErrnoException, socket: Duplex): void => {
    // A client that has gone away is told nothing.
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    // Each further segment raises the error again.
    if (this.#refused.has(socket)) return
    this.#refused.add(socket)
    const last = this.#lastAnswers.get(socket)
    if (last === undefined || last.req.complete) afterwards(last, () => refuse(socket, error))
    // Answers to earlier requests are sent before this one gets the socket.
    else if (last.socket === null && !last.writableFinished)
      last.once('socket', () => endWithinBody(error, socket, last))
    else endWithinBody(error, socket, last)
  }
}

/** An error within the body of a request: it has one answer, the app's or this one. */
function endWithinBody(error: Error, socket: Duplex, answer: ServerResponse): void {
  if (answer.headersSent) afterwards(answer, () => close(socket))
  else refuse(socket, error)
}

function afterwards(answer: ServerResponse | undefined, act: () => void): void {
  if (answer === undefined || answer.writableFinished) act()
  else answer.once('close', act)
}

function refuse(socket: Duplex, error: Error): void {
  if (socket.writable) close(socket, parserAnswerText(error))
}

function close(socket: Duplex, lastText = ''): void {
  socket.end(lastText)
  setTimeout(() => socket.destroy(), lingerMs).unref()
}
