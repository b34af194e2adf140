import { listenOnBun } from './bun-server.ts'
import { announce } from './given.ts'
import { openGreeting } from './open-greeting.ts'

/** What the API would be on Bun without its guard. */
const server = await listenOnBun('127.0.0.1', 0)
server.answerWith((request) => openGreeting.fetch(request))
announce(server.url)
