import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { HeldProcess } from '../harness/held-process.ts'

describe('a process that is held', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'held-'))
  })
  after(() => rm(folder, { recursive: true }))

  /** Writes a character to a file every millisecond, and how many it wrote when it is interrupted. */
  const ticking = (file: string) => [
    process.execPath,
    '--eval',
    `const { appendFileSync } = require('node:fs')
    let ticks = 0
    setInterval(() => { appendFileSync(${JSON.stringify(file)}, '.'); ticks++ }, 1)
    process.on('SIGINT', () => { console.log('ticks: ' + ticks); process.exit() })
    console.error('ready')`,
  ]
  const written = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8').length : 0)

  const start = async (name: string) => {
    const file = join(folder, name)
    const held = await HeldProcess.start(ticking(file), [], /^ready$/m)
    return { held, ticks: () => written(file) }
  }

  it('stands still from when it is ready, goes on in its turn, and stands still again', async () => {
    const { held, ticks } = await start('turns')
    await wait(20)
    const before = ticks()
    await wait(50)
    assert.equal(ticks(), before)

    held.go()
    while (ticks() <= before) await wait(5)

    held.hold()
    await wait(20)
    const after = ticks()
    await wait(50)
    assert.equal(ticks(), after)
    await held.finish('SIGINT', /^ticks: \d+$/m)
  })

  it('tells how often and how long it was held', async () => {
    const { held } = await start('times')
    await wait(50)
    held.go()
    const first = held.heldSeconds
    assert.ok(first >= 0.045 && first < 5, `${first}`)
    await wait(50)
    assert.equal(held.heldSeconds, first)
    held.hold()
    await held.finish('SIGINT', /^ticks: \d+$/m)
    assert.equal(held.holds, 2)
  })

  it('comes to its end and says what it found', async () => {
    const { held, ticks } = await start('end')
    held.go()
    while (ticks() === 0) await wait(5)
    held.hold()
    const printed = await held.finish('SIGINT', /^ticks: \d+$/m)
    assert.match(printed, new RegExp(`^ticks: ${ticks()}$`, 'm'))
  })

  it('is told again until it hears', async () => {
    const deaf = `let told = 0
    const idle = setInterval(() => undefined, 1000)
    process.on('SIGINT', () => { if (++told === 2) console.log('done') })
    console.error('ready')`
    const held = await HeldProcess.start([process.execPath, '--eval', deaf], [], /^ready$/m)
    assert.match(await held.finish('SIGINT', /^done$/m), /done/)
  })

  const broken: readonly [string, string][] = [
    ['never becomes ready', 'process.stderr.write("no such server"); process.exitCode = 1'],
    ['ends at once', ''],
  ]
  for (const [what, program] of broken) {
    it(`fails with what it said when it ${what}`, async () => {
      await assert.rejects(
        HeldProcess.start([process.execPath, '--eval', program], [], /^ready$/m),
        program === '' ? /it ended and said: $/ : /it ended and said: no such server/,
      )
    })
  }

  it('fails when its program is missing', async () => {
    await assert.rejects(HeldProcess.start(['no-such-program'], [], /^ready$/m), /ENOENT/)
  })

  it('fails with what it said when it ends without what it should have found', async () => {
    const { held } = await start('lost')
    await assert.rejects(held.finish('SIGTERM', /^ticks: \d+$/m), /it ended and said: ready/)
  })
})
