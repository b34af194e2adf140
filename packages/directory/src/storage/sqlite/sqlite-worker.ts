import { parentPort, workerData } from 'node:worker_threads'
import { type ThreadConnection, ThreadRequests } from './thread-requests.ts'

// The entry of the worker thread: it runs the statements and batches that it receives on one connection.
const port = parentPort
if (port === null) throw new TypeError('sqlite-worker runs in a worker thread only')

const requests = new ThreadRequests(workerData as ThreadConnection, port)
port.on('message', (request) => requests.receive(request))
