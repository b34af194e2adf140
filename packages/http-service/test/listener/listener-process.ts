import { server } from '../../../../test/fixtures/tls-identities.ts'
import { listen, listenSecurely } from '../../src/listener/listener.ts'

/** A listener in a process of its own. It sends its URL to the parent process, and ends with it. */
const identity = { certificate: server.cert, key: server.key }
const listener = await (process.argv[2] === 'https'
  ? listenSecurely('127.0.0.1', 0, identity)
  : listen('127.0.0.1', 0))
listener.answerWith(async (request) => new Response(await request.text()))
process.once('disconnect', () => process.exit())
process.send?.(listener.url)
