import assert from 'node:assert/strict'
import { once } from 'node:events'
import { appendFile, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { freshFolder } from '../../../../../test/fixtures/fresh-folder.ts'
import { linesOf } from '../../../src/telemetry/audit-export/exported-record.ts'
import { fileSink, socketSink } from '../../../src/telemetry/audit-export/sinks.ts'
import { numbers, numbersIn, sampleRecords } from './sample-records.ts'

const folder = freshFolder()
const newPath = () => join(folder, `${crypto.randomUUID()}.jsonl`)
const read = (path: string) => readFile(path, 'utf8')

describe('a file as a log store', () => {
  it('has one record per line, and only its owner may read it', async () => {
    const path = newPath()
    const sink = fileSink(path)
    assert.equal(await sink.send(sampleRecords(1, 2)), 0)
    await sink.send(sampleRecords(3, 1))
    await sink.close()
    assert.deepEqual(numbersIn(await read(path)), [1, 2, 3])
    if (process.platform !== 'win32') assert.equal((await stat(path)).mode & 0o777, 0o600)
  })

  it('is continued after the next start', async () => {
    const path = newPath()
    for (const first of [1, 2]) {
      const sink = fileSink(path)
      await sink.send(sampleRecords(first, 1))
      await sink.close()
    }
    assert.deepEqual(numbersIn(await read(path)), [1, 2])
  })

  it('is recreated after it is renamed or removed, and loses nothing', async () => {
    const path = newPath()
    const sink = fileSink(path)
    await sink.send(sampleRecords(1, 2))
    await rename(path, `${path}.1`)
    await sink.send(sampleRecords(3, 1))
    assert.deepEqual(numbersIn(await read(`${path}.1`)), [1, 2])
    assert.deepEqual(numbersIn(await read(path)), [3])
    await rm(path)
    await sink.send(sampleRecords(4, 1))
    assert.deepEqual(numbersIn(await read(path)), [4])
    await sink.close()
  })

  it('is reopened when another file takes its name', async () => {
    const path = newPath()
    const sink = fileSink(path)
    await sink.send(sampleRecords(1, 1))
    await rename(path, `${path}.1`)
    await writeFile(path, '')
    await sink.send(sampleRecords(2, 1))
    await sink.close()
    assert.deepEqual(numbersIn(await read(path)), [2])
  })

  it('keeps a truncated record on a separate line after a full disk or a crash', async () => {
    const path = newPath()
    await appendFile(path, '{"run":"torn')
    const sink = fileSink(path)
    await sink.send(sampleRecords(1, 1))
    await sink.close()
    const [torn, ...lines] = (await read(path)).split('\n')
    assert.equal(torn, '{"run":"torn')
    assert.deepEqual(numbersIn(lines.join('\n')), [1])
  })

  it('fails while its folder is missing, and works once the folder exists', async () => {
    const missing = join(folder, 'later')
    const sink = fileSink(join(missing, 'audit.jsonl'))
    await assert.rejects(sink.send(sampleRecords(1, 1)), { code: 'ENOENT' })
    await mkdir(missing)
    await sink.send(sampleRecords(1, 1))
    await sink.close()
    assert.deepEqual(numbersIn(await read(join(missing, 'audit.jsonl'))), [1])
  })

  it('is refused if it is not a regular file', async () => {
    await assert.rejects(fileSink(folder).send(sampleRecords(1, 1)), /is not a regular file$/)
  })
})

/** A TCP server that collects text, and a sink that connects to it. */
async function readerFixture(t: TestContext, { reads = true, idleMs = 10_000 } = {}) {
  const state = { text: '', sockets: [] as Socket[] }
  const server = createServer((socket) => {
    state.sockets.push(socket)
    socket.on('error', () => undefined)
    if (reads) socket.setEncoding('utf8').on('data', (text) => (state.text += text))
    else socket.pause()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sink = socketSink(() => ({ socket: connect(port, '127.0.0.1'), ready: 'connect' }), idleMs)
  t.after(async () => {
    await sink.close()
    for (const socket of state.sockets) socket.destroy()
    server.close()
  })
  const until = async (isComplete: () => boolean) => {
    while (!isComplete()) await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return { state, sink, server, port, until }
}

describe('a socket as a log store', () => {
  it('receives the lines of all batches over one connection', async (t) => {
    const { state, sink, until } = await readerFixture(t)
    for (const first of [1, 3]) assert.equal(await sink.send(sampleRecords(first, 2)), 0)
    await until(() => state.text.split('\n').length === 5)
    assert.deepEqual(numbersIn(state.text), [1, 2, 3, 4])
    assert.equal(state.sockets.length, 1)
  })

  it('is reconnected when the reader closes the connection', async (t) => {
    const { state, sink, until } = await readerFixture(t)
    await sink.send(sampleRecords(1, 1))
    await until(() => state.text !== '')
    state.sockets[0]?.destroy()
    await until(() => state.sockets[0]?.closed === true)
    let attempts = 0
    while (state.sockets.length < 2 && attempts < 100) {
      attempts += 1
      await sink.send(sampleRecords(2, 1)).catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    await until(() => numbersIn(state.text).includes(2))
  })

  it('fails immediately while it is unavailable', async (t) => {
    const { sink, server } = await readerFixture(t)
    server.close()
    await assert.rejects(sink.send(sampleRecords(1, 1)), { code: 'ECONNREFUSED' })
    await assert.rejects(sink.send(sampleRecords(1, 1)), { code: 'ECONNREFUSED' })
  })

  const megabytes = sampleRecords(1, 100_000)

  it('is abandoned when it reads nothing for a while', async (t) => {
    const { sink, state } = await readerFixture(t, { reads: false, idleMs: 200 })
    await assert.rejects(sink.send(megabytes), /The reader takes nothing/)
    assert.equal(state.sockets.length, 1)
  })

  it('is abandoned when it stops reading after a batch', async (t) => {
    const { sink, state, until } = await readerFixture(t, { idleMs: 200 })
    await sink.send(sampleRecords(1, 1))
    await until(() => state.text !== '')
    state.sockets[0]?.pause()
    await assert.rejects(sink.send(megabytes), /The reader takes nothing/)
  })

  it('cancels a waiting batch when the server stops', async (t) => {
    const { sink, state, until } = await readerFixture(t, { reads: false })
    const sent = sink.send(megabytes)
    await until(() => state.sockets.length === 1)
    await sink.close()
    await assert.rejects(sent, /The server stops/)
  })

  it('receives a large batch at the speed of its reader', async (t) => {
    // The whole batch takes longer than the time without progress after which the reader is given up.
    const { sink, state, until } = await readerFixture(t, { reads: false, idleMs: 1500 })
    const part = linesOf(megabytes).length / 40
    const sent = sink.send(megabytes)
    await until(() => state.sockets.length === 1)
    const [reader] = state.sockets
    let unread = part
    reader?.setEncoding('utf8').on('data', (text: string) => {
      state.text += text
      unread -= text.length
      if (unread > 0) return
      unread = part
      reader.pause()
      setTimeout(() => reader.resume(), 50)
    })
    reader?.resume()
    await sent
    await until(() => state.text.endsWith('\n') && state.text.includes('"number":100000,'))
    assert.deepEqual(numbersIn(state.text), numbers(1, 100_000))
  })
})
