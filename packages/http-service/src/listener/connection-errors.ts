import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { answerText, answerToParserError, tunnelRefused } from './malformed-request.ts'

/** Time for the client to read the last answer and close the connection. */
const lingerMs = 1000

const ended = new WeakSet<Duplex>()

/**
 * Handles the event `clientError` of Node's server: ends a connection with malformed bytes, after the answers to
 * the requests before them.
 *
 * @param latest the response to the latest request of the connection
 */
export function endMalformed(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  latest: ServerResponse | undefined,
): void {
  // The client has closed the connection.
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  // Each further segment raises the error again.
  if (ended.has(socket)) return
  ended.add(socket)
  if (latest === undefined || latest.req.complete) {
    afterResponse(latest, () => refuse(socket, error))
  } else if (latest.socket === null && !latest.writableFinished) {
    // Node sends earlier responses first and then assigns the socket to this one.
    latest.once('socket', () => endWithinBody(error, socket, latest))
  } else {
    endWithinBody(error, socket, latest)
  }
}

/** Refuses `CONNECT`. Node has removed its listeners and its limits of time from the connection. */
export function refuseTunnel(socket: Duplex, latest: ServerResponse | undefined): void {
  // An `error` without a listener ends the process. The connection is destroyed anyway.
  socket.on('error', () => {})
  // Without a reader, the end of the connection is not noticed.
  socket.resume()
  afterResponse(latest, () => {
    if (socket.writable) close(socket, answerText(tunnelRefused))
  })
}

/** Handles an error within the body of a request. Either the app responds or this function does, never both. */
function endWithinBody(error: Error, socket: Duplex, response: ServerResponse): void {
  if (response.headersSent) afterResponse(response, () => close(socket))
  else refuse(socket, error)
}

function afterResponse(response: ServerResponse | undefined, callback: () => void): void {
  if (response === undefined || response.writableFinished) callback()
  else response.once('close', callback)
}

function refuse(socket: Duplex, error: Error): void {
  if (socket.writable) close(socket, answerText(answerToParserError(error)))
}

function close(socket: Duplex, lastText = ''): void {
  socket.end(lastText)
  setTimeout(() => socket.destroy(), lingerMs).unref()
}
