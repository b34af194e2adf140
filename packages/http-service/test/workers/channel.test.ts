import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { describe, it } from 'node:test'
import { Channel, type Peer } from '../../src/workers/channel.ts'
import { connectedPeers } from './connected-peers.ts'

function channels() {
  const [one, other] = connectedPeers()
  return [new Channel(one), new Channel(other)] as const
}

describe('a channel', () => {
  it('answers each question with its own answer', async () => {
    const [asking, answering] = channels()
    answering.handle('double', async (body) => {
      if (body === 1) await new Promise((resolve) => setImmediate(resolve))
      return Number(body) * 2
    })
    assert.deepEqual(await Promise.all([asking.ask('double', 1), asking.ask('double', 2)]), [2, 4])
  })

  it('passes the failure of a handler on', async () => {
    const [asking, answering] = channels()
    answering.handle('fail', () => {
      throw new Error('no file')
    })
    await assert.rejects(asking.ask('fail'), { message: 'no file' })
  })

  it('fails without a handler', async () => {
    const [asking] = channels()
    await assert.rejects(asking.ask('other'), { message: 'nothing answers questions about other' })
  })

  it('fails when there is no answer in time', async () => {
    const [asking, answering] = channels()
    answering.handle('wait', () => new Promise(() => {}))
    await assert.rejects(asking.ask('wait', null, 10), {
      message: 'no answer about wait within 10 ms',
    })
  })

  it('fails when the other end is gone, and drops notices', async () => {
    const gone: Peer = Object.assign(new EventEmitter(), {
      isConnected: () => false,
      send: () => assert.fail('sent'),
    })
    const channel = new Channel(gone)
    await assert.rejects(channel.ask('any'), { message: 'the other process has ended' })
    channel.tell('any')
  })

  it('delivers notices', async () => {
    const [telling, receiving] = channels()
    const received = new Promise((resolve) => receiving.handle('news', resolve))
    telling.tell('news', { version: 2 })
    assert.deepEqual(await received, { version: 2 })
  })
})
