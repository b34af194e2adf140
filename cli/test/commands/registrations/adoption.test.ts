import assert from 'node:assert/strict'
import { chmod, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { sampleFile } from '@greeting/registrations/samples'
import type { Json } from '../../../../fixtures/graph/fake-directory.ts'
import { administrator } from '../../../../fixtures/graph/fake-graph.ts'
import { ServedGraph } from './served-graph.ts'

const secret = {
  passwordCredential: { displayName: 'primary', endDateTime: '2999-01-01T00:00:00Z' },
}

/** A directory in which an attacker has registered "Greeting client" before the file is applied. */
async function planted(test: TestContext, credentials: Json = {}, ofPrincipal?: Json) {
  const served = await ServedGraph.start(test)
  const { directory } = served.stand
  directory.now = () => new Date('2026-02-03T04:05:06Z')
  const application = directory.createApplication({
    displayName: 'Greeting client',
    ...structuredClone(credentials),
  })
  const { appId } = application
  if (ofPrincipal) directory.createServicePrincipal({ appId, ...structuredClone(ofPrincipal) })
  const path = await served.file(sampleFile())
  return { served, path, directory, application, applicationId: String(appId) }
}

type Row = {
  readonly name: string
  readonly credentials?: Json
  readonly ofPrincipal?: Json
  readonly withSecret?: true
  readonly held: string
}

const keyId = '11111111-1111-4111-8111-111111111111'
const valid = { keyId, startDateTime: '2026-01-01T00:00:00Z', endDateTime: '2999-01-01T00:00:00Z' }
const ended = { ...valid, endDateTime: '2026-01-02T00:00:00Z' }
const mallory = {
  '@odata.type': '#microsoft.graph.servicePrincipal',
  id: '22222222-2222-4222-8222-222222222222',
  displayName: "Mallory's tool",
  appId: '33333333-3333-4333-8333-333333333333',
}
const person = {
  '@odata.type': '#microsoft.graph.user',
  id: '44444444-4444-4444-8444-444444444444',
  displayName: null,
}
const many = Array.from({ length: 7 }, (_, number) => ({
  ...person,
  id: `44444444-4444-4444-8444-44444444444${number}`,
}))

describe('CL14: an application that was found by its name alone', () => {
  const heldRows: Row[] = [
    {
      name: 'a secret with the name in the file',
      withSecret: true,
      held: 'with 1 secret of unknown origin',
    },
    {
      name: 'a certificate',
      credentials: { keyCredentials: [valid] },
      held: 'with 1 certificate of unknown origin',
    },
    {
      name: 'a federated credential',
      credentials: { federatedIdentityCredentials: [{ id: 'f', name: 'f' }] },
      held: 'with 1 federated credential of unknown origin',
    },
    {
      name: 'a secret that has ended by the local clock',
      credentials: { passwordCredentials: [ended] },
      held: 'with 1 secret of unknown origin',
    },
    {
      name: 'a secret of its service principal',
      ofPrincipal: { passwordCredentials: [valid] },
      held: 'with 1 secret of its service principal of unknown origin',
    },
    {
      name: 'credentials of both objects',
      credentials: { keyCredentials: [valid, { ...valid, keyId: mallory.id }] },
      ofPrincipal: { passwordCredentials: [valid], keyCredentials: [ended] },
      held: 'with 2 certificates and 1 secret and 1 certificate of its service principal of unknown origin',
    },
    {
      name: 'an owner',
      credentials: { owners: [mallory] },
      held: `with no credentials, owned by "Mallory's tool" (${mallory.appId})`,
    },
    {
      name: 'an owner of its service principal',
      ofPrincipal: { owners: [person] },
      held: `with no credentials, owned by ${person.id}`,
    },
    {
      name: 'many owners and a secret of its service principal',
      credentials: { owners: many },
      ofPrincipal: { owners: many, passwordCredentials: [valid] },
      held: `with 1 secret of its service principal of unknown origin, owned by ${many
        .slice(0, 5)
        .map(({ id }) => id)
        .join(', ')} and 2 more`,
    },
  ]
  for (const { name, credentials, ofPrincipal, withSecret, held } of heldRows) {
    for (const answer of [undefined, 'yes']) {
      const confirmation = answer === undefined ? '--yes' : '--yes and a person'
      it(`is granted nothing while it has ${name}, despite ${confirmation}`, async (test) => {
        const { served, path, directory, application, applicationId } = await planted(
          test,
          credentials,
          ofPrincipal,
        )
        if (withSecret) directory.addPassword(String(application.id), secret)
        const { code, err } = await served.run(['apply', path, '--yes'], answer)
        assert.equal(code, 1, err)
        assert.equal(directory.assignments.size, 0)
        assert.ok(
          err.includes(
            `Admin consent for "Greeting client" is refused: application ${applicationId} was found by its name only. It exists since 2026-02-03, ${held}. Remove them, or add "applicationId": "${applicationId}" to its entry if this is your application.`,
          ),
          err,
        )
      })
    }
  }

  it('raises no doubt by an owner that is the administrator', async (test) => {
    const own = { ...mallory, appId: administrator.CLIENT_ID }
    const { served, path, directory } = await planted(test, { owners: [own] }, { owners: [own] })
    const { code, err, questions } = await served.run(['apply', path], 'yes')
    assert.equal(code, 0, err)
    assert.match(questions[0] ?? '', /, with no credentials and no other owner\n/)
    assert.equal(directory.assignments.size, 2)
  })

  it('is not adopted by --yes without a terminal, and the error has the line for the file', async (test) => {
    const { served, path, directory, applicationId } = await planted(test)
    const { code, out, err } = await served.run(['apply', path, '--yes'])
    assert.equal(code, 2, err)
    assert.equal(directory.assignments.size, 0)
    assert.equal(directory.applications.size, 1)
    const line = `! ~ application "Greeting client" (${applicationId}), found by its name only: exists since 2026-02-03, with no credentials and no other owner`
    assert.ok(out.includes(line), out)
    assert.ok(err.includes(line), err)
    assert.ok(
      err.includes(
        `Nothing was changed. If this is the right application, add "applicationId": "${applicationId}" to the entry "Greeting client" of ${path}. --yes does not cover this.`,
      ),
      err,
    )
  })

  const answers: [string, string, number, number][] = [
    ['a yes', 'yes', 0, 2],
    ['no answer', '', 1, 0],
  ]
  for (const [name, answer, exit, assignments] of answers)
    it(`needs a separate confirmation, even with --yes: ${name}`, async (test) => {
      const { served, path, directory } = await planted(test)
      const { code, err, questions } = await served.run(['apply', path, '--yes'], answer)
      assert.equal(code, exit, err)
      assert.equal(questions.length, 1)
      assert.match(
        questions[0] ?? '',
        /Every user who can create applications can choose this name/,
      )
      assert.equal(directory.assignments.size, assignments)
    })

  it('is shown by plan, in words and as JSON', async (test) => {
    const { served, path, applicationId } = await planted(test)
    const { out } = await served.run(['plan', path])
    assert.match(
      out,
      / Applications found by name need confirmation; --yes does not cover them\.\n/,
    )
    const { adoptions } = JSON.parse((await served.run(['plan', path, '--json'])).out)
    assert.deepEqual(adoptions, [
      {
        application: 'Greeting client',
        applicationId,
        foundBy: 'name',
        createdDateTime: '2026-02-03T04:05:06.000Z',
        secrets: 0,
        certificates: 0,
        federatedCredentials: 0,
        owners: [],
      },
    ])
  })

  it('is adopted without a question when the file has its ID, also with credentials', async (test) => {
    const { served, directory, application, applicationId } = await planted(test)
    directory.addPassword(String(application.id), secret)
    const [client] = sampleFile().clients
    const file = { ...sampleFile(), clients: [{ ...client, applicationId }] }
    const { code, err } = await served.run(['apply', await served.file(file)])
    assert.equal(code, 0, err)
    assert.equal(directory.assignments.size, 2)
  })

  it('needs no confirmation while it has no changes', async (test) => {
    const { served, path } = await planted(test)
    const apis = await served.file({ clients: [{ displayName: 'Greeting client' }] }, 'b.json')
    assert.equal((await served.run(['apply', path], 'yes')).code, 0)
    await rm(join(served.folder, 'registered-applications.txt'))
    const { out, code } = await served.run(['apply', apis])
    assert.deepEqual([code, out], [0, 'No changes: the directory matches the file.\n'])
  })

  it('needs confirmation when it was found by an identifier URI, which an attacker can choose too', async (test) => {
    const served = await ServedGraph.start(test)
    const [api] = sampleFile().apis
    const identifierUris = ['api://orders']
    served.stand.directory.createApplication({ displayName: 'x', identifierUris })
    const path = await served.file({ apis: [{ ...api, identifierUris }] })
    const { code, err } = await served.run(['apply', path, '--yes'])
    assert.equal(code, 2)
    assert.match(err, /\), found by its identifier URI only: exists since/)
  })

  it('needs no confirmation when the record of this data folder has its ID', async (test) => {
    const served = await ServedGraph.start(test)
    const path = await served.file(sampleFile())
    assert.equal((await served.run(['apply', path])).code, 0)
    const record = await readFile(join(served.folder, 'registered-applications.txt'), 'utf8')
    const ids = [...served.stand.directory.applications.values()].map(({ appId }) => appId)
    assert.deepEqual(record.trim().split('\n'), ids)
    served.stand.directory.assignments.clear()
    assert.equal((await served.run(['apply', path])).code, 0)
    assert.equal(served.stand.directory.assignments.size, 2)
  })

  it('needs confirmation when other users can write to the record', async (test) => {
    const served = await ServedGraph.start(test)
    const path = await served.file(sampleFile())
    await served.run(['apply', path])
    served.stand.directory.assignments.clear()
    await chmod(join(served.folder, 'registered-applications.txt'), 0o622)
    const { code, err } = await served.run(['apply', path, '--yes'])
    assert.equal(code, 1)
    assert.match(err, /Admin consent for "Greeting client" is refused/)
  })
})

describe('CL14: greeting registrations apply --write-ids', () => {
  it('writes the IDs into the file, so that another machine can apply it', async (test) => {
    const served = await ServedGraph.start(test)
    const path = await served.file(`${JSON.stringify(sampleFile(), undefined, 2)}\n`)
    await chmod(path, 0o640)
    const { code, out, err } = await served.run(['apply', path, '--write-ids'])
    assert.equal(code, 0, err)
    assert.doesNotMatch(out, /"applicationId"/)
    assert.equal((await stat(path)).mode & 0o777, 0o640)
    assert.equal((await readFile(path, 'utf8')).match(/"applicationId": "/g)?.length, 2)
    await rm(join(served.folder, 'registered-applications.txt'))
    served.stand.directory.assignments.clear()
    assert.equal((await served.run(['apply', path, '--yes'])).code, 0)
    assert.equal(served.stand.directory.assignments.size, 2)
  })

  it('asks for confirmation of an application that was found by its name, even without changes', async (test) => {
    const served = await ServedGraph.start(test)
    served.stand.directory.createApplication({ displayName: 'Orders' })
    const [application = {}] = served.stand.directory.applications.values()
    served.stand.directory.createServicePrincipal({ appId: application.appId })
    const text = '{ "clients": [{ "displayName": "Orders" }] }'
    const path = await served.file(text)
    assert.equal((await served.run(['apply', path, '--write-ids', '--yes'])).code, 2)
    assert.equal(await readFile(path, 'utf8'), text)
    assert.equal((await served.run(['apply', path, '--write-ids'], 'yes')).code, 0)
    assert.match(await readFile(path, 'utf8'), new RegExp(String(application.appId)))
  })

  it('is optional: apply prints the IDs of new applications for the file', async (test) => {
    const served = await ServedGraph.start(test)
    const { out } = await served.run(['apply', await served.file(sampleFile())])
    for (const { displayName, appId } of served.stand.directory.applications.values())
      assert.ok(out.includes(`\n  "applicationId": "${appId}" for "${displayName}"\n`), out)
  })
})
