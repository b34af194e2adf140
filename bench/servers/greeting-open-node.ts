import { listen } from '../../services/greeting-api/src/http-server.ts'
import { announce } from './given.ts'
import { openGreeting } from './open-greeting.ts'

/** What the API would be on Node without its guard. */
const server = await listen('127.0.0.1', 0)
server.answerWith((request, bindings) => openGreeting.fetch(request, bindings))
announce(server.url)
