import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { sampleFile } from '@greeting/registrations/samples'
import type { Closing } from '../../fakes/servers.ts'
import {
  assertCompleted,
  assertWhole,
  cut,
  fileOfAll,
  holders,
  journalOf,
  secretFileOf,
} from './killed-apply.ts'
import { ServedGraph } from './served-graph.ts'

/** A directory and a data folder, as a run left them that was killed when its second client was created. */
async function left(test: Closing) {
  const served = await ServedGraph.start(test)
  const path = await served.file(fileOfAll())
  assert.equal(await cut(served, ['apply', path], { at: 5, isExecuted: true }), undefined)
  return { served, path, journal: journalOf(served) }
}

const edited = (edit: (text: string) => string) => async (journal: string) =>
  writeFile(journal, edit(await readFile(journal, 'utf8')))

describe('an apply after a killed apply', () => {
  for (const isExecuted of [false, true]) {
    const what = isExecuted ? 'was executed' : 'was not sent'
    it(`completes it if its first, fifth or tenth change ${what}`, async (test) => {
      for (const at of [1, 5, 10])
        assert.ok(await assertCompleted(test, { at, isExecuted }), `${at} changes`)
    })

    it(`leaves no secret without a file if a rotation's request ${what}`, async (test) => {
      const served = await ServedGraph.start(test)
      const path = await served.file(fileOfAll())
      assert.equal((await served.run(['apply', path])).code, 0)
      const args = ['apply', path, '--yes', '--rotate', ...holders]
      assert.equal(await cut(served, args, { at: 1, isExecuted }), undefined)
      const { out } = await served.run(['apply', path])
      assert.equal(/is lost\n/.test(out), isExecuted)
      await assertWhole(served)
    })
  }

  it('leaves no secret without a file, whichever file a rotation wrote last', async (test) => {
    for (let written = 0; written <= holders.length; written += 1) {
      const served = await ServedGraph.start(test)
      const path = await served.file(fileOfAll())
      assert.equal((await served.run(['apply', path])).code, 0)
      const lacking = holders.slice(written).map((name) => secretFileOf(served, name))
      const before = lacking.map((file) => readFileSync(file))
      const journal = journalOf(served)
      let left = ''
      served.onRequest = () => {
        if (existsSync(journal)) left = readFileSync(journal, 'utf8')
      }
      const rotation = await served.run(['apply', path, '--yes', '--rotate', ...holders])
      assert.equal(rotation.code, 0, rotation.err)
      for (const [index, file] of lacking.entries()) writeFileSync(file, before[index] ?? '')
      writeFileSync(journal, left, { mode: 0o600 })
      const { code, out, err } = await served.run(['apply', path])
      assert.deepEqual([code, out.match(/is lost\n/g)?.length ?? 0], [0, lacking.length], err)
      await assertWhole(served, holders.slice(0, written))
    }
  })

  it('completes it even if several processes are killed or interrupted at later changes', async (test) => {
    const served = await ServedGraph.start(test)
    const path = await served.file(fileOfAll())
    const args = ['registrations', 'apply', path, '--data-dir', served.folder]
    const main = join(import.meta.dirname, '../../../src/main.ts')
    const signals = ['SIGKILL', 'SIGKILL', 'SIGINT', 'SIGTERM', undefined] as const
    for (const [index, signal] of signals.entries()) {
      const env = { ...process.env, ...served.environment }
      const child = spawn(process.execPath, [main, ...args], { env, stdio: 'ignore' })
      let changes = 0
      served.onRequest = (line) => {
        if (/^(POST|PATCH)/.test(line)) changes += 1
        if (changes > index && signal) child.kill(signal)
      }
      const [code] = await once(child, 'exit')
      if (!signal) assert.equal(code, 0)
    }
    await assertWhole(served)
  })

  it('is refused while another apply runs in its data folder, which stays intact', async (test) => {
    const served = await ServedGraph.start(test)
    const path = await served.file(fileOfAll())
    const runs = await Promise.all([served.run(['apply', path]), served.run(['apply', path])])
    const [first, second] = runs.toSorted((one, other) => one.code - other.code)
    assert.deepEqual([first?.code, second?.code], [0, 1])
    assert.match(
      second?.err ?? '',
      /^Another apply runs in the data folder .*\nNothing was changed\. Apply the file again when/,
    )
    await assertWhole(served)
    const again = await served.run(['apply', path])
    assert.deepEqual([again.code, again.err], [0, ''], 'the lock ends with its run')
  })

  it('reports what it removes without asking, and plan reports it in advance', async (test) => {
    const { served, path } = await left(test)
    const { out } = await served.run(['plan', path])
    assert.match(out, / {2}- secret "primary" of "[^"]*" \([^)]*\): its text is lost\n/)
    assert.doesNotMatch(out, /found by its name/)
    assert.match(
      out,
      /\nA secret, but no file of it here: "Greeting client", [^.]*\. If a text is lost, use apply --rotate\.\n/,
    )
    const applied = await served.run(['apply', path])
    assert.equal(applied.code, 0, applied.err)
    for (const { appId } of await served.tenant.applications())
      assert.ok(applied.out.includes(`"applicationId": "${appId}"`), applied.out)
  })

  it('CL14: refuses an application with the unique name that an empty mark would produce', async (test) => {
    const served = await ServedGraph.start(test)
    const uniqueName = createHmac('sha256', '').update('Second client').digest('base64url')
    const planted = { displayName: 'Second client', uniqueName }
    const { appId } = await served.tenant.send('POST', '/applications', planted)
    const { code, err } = await served.run(['apply', await served.file(fileOfAll()), '--yes'])
    assert.equal(code, 2)
    assert.ok(err.includes(`application "Second client" (${appId}), found by its name only`), err)
  })

  it('CL14: refuses an application of the same name that another caller created after the kill', async (test) => {
    const { served, path } = await left(test)
    const applications = await served.tenant.applications()
    const second = applications.find(({ displayName }) => displayName === 'Second client')
    await served.tenant.send('DELETE', `/applications/${second?.id}`)
    await served.tenant.send('POST', '/applications', { displayName: 'Second client' })
    const { code, err } = await served.run(['apply', path, '--yes'])
    assert.equal(code, 2)
    assert.match(err, /^An application was found by its name only/)
  })

  it('CL14: refuses two applications of the same name, although it created one', async (test) => {
    const { served, path } = await left(test)
    await served.tenant.send('POST', '/applications', { displayName: 'Second client' })
    const { code, err } = await served.run(['apply', path, '--yes'])
    assert.equal(code, 1)
    assert.match(err, /2 applications match "Second client": /)
  })

  it('keeps a secret whose file exists, even if the killed run wrote it to another path', async (test) => {
    const served = await ServedGraph.start(test)
    const path = await served.file(sampleFile())
    const file = join(served.folder, 'own.env')
    const args = ['apply', path, '--secrets-file', file]
    await cut(served, args, { at: 6, isExecuted: false })
    const before = await readFile(file, 'utf8')
    const { code, out } = await served.run(['apply', path])
    assert.deepEqual([code, / secret /.test(out)], [0, false], out)
    assert.equal(await readFile(file, 'utf8'), before)
  })

  it('removes no secret that existed before the killed run', async (test) => {
    const { served, path, journal } = await left(test)
    const held = (await served.tenant.applications()).flatMap((one) => one.passwordCredentials)
    const known = held.map((one) => (one as { keyId: string }).keyId.slice(0, 8)).join()
    await edited((text) => text.replace('KNOWN=', `KNOWN=${known}`))(journal)
    const { code, out } = await served.run(['apply', path])
    assert.deepEqual([code, /is lost/.test(out)], [0, false], out)
  })

  const rows = [
    [
      'belongs to another file',
      edited((text) => text.replace('registrations.json', 'other.json')),
      /is of .*other\.json in the tenant [^:]*: apply that first\n/,
    ],
    [
      'belongs to another tenant',
      edited((text) => text.replace(/(?<=tenant )[0-9a-f]{8}/, '00000000')),
      /is of .* in the tenant 00000000-[^:]*: apply that first\n/,
    ],
    ['is damaged', edited((text) => text.replace('TIMES=', 'TIMES=x')), /is damaged\n/],
    ['was truncated', edited((text) => text.slice(0, -2)), /is damaged\n/],
    ['is empty', edited(() => ''), /is damaged\n/],
    ['is not UTF-8', (journal: string) => writeFile(journal, Buffer.of(255)), /cannot be read: /],
    ['is readable by others', (journal: string) => chmod(journal, 0o640), /is not private\n/],
    ['is writable by others', (journal: string) => chmod(journal, 0o602), /is not private\n/],
  ] as const
  for (const [what, change, sentence] of rows)
    it(`changes nothing and reports the error if the journal ${what}`, async (test) => {
      const { served, path, journal } = await left(test)
      await change(journal)
      served.tenant.lines.length = 0
      for (const args of [
        ['apply', path, '--yes'],
        ['plan', path],
      ]) {
        const { code, err } = await served.run(args)
        assert.equal(code, 1)
        assert.match(err, sentence)
        assert.match(
          err,
          /^The journal .*apply-journal\.env of a killed apply .*\nNothing was changed\. /,
        )
      }
      assert.deepEqual(served.tenant.lines, [])
    })

  it('changes nothing and reports the error if the journal cannot be written', async (test) => {
    const served = await ServedGraph.start(test)
    const path = await served.file(fileOfAll())
    Object.assign(served, { folder: join(path, 'data') })
    const { code, err } = await served.run(['apply', path, '--secrets-file', '-'])
    assert.equal(code, 1)
    assert.match(err, /^Cannot write .*apply-journal\.env: a part of its path is a file\n/)
    assert.deepEqual(await served.tenant.applications(), [])
  })
})
