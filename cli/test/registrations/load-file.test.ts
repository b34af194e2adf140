import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import {
  acceptedFiles,
  filesForTheCommandOnly,
  refusedFiles,
} from '@greeting/registrations/samples'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import { CommandFailure } from '../../src/exit-codes.ts'
import { loadFile } from '../../src/registrations/load-file.ts'

const folder = freshFolder()

async function load(bytes: Uint8Array) {
  const path = join(folder, `${crypto.randomUUID()}.json`)
  await writeFile(path, bytes)
  return { path, loaded: loadFile(path) }
}

describe('the registrations commands', () => {
  const withoutCertificate = filesForTheCommandOnly.filter(
    ({ name }) => !name.includes('certificate'),
  )
  for (const { name, file } of [...acceptedFiles, ...withoutCertificate]) {
    it(`accept a file with ${name}`, async () => {
      const { loaded } = await load(file)
      await assert.doesNotReject(loaded)
    })
  }

  it('find a certificate beside the file', async () => {
    const { file } = filesForTheCommandOnly.find(({ name }) => name === 'a certificate') ?? {}
    const { loaded } = await load(file ?? Buffer.of())
    await assert.rejects(loaded, { message: /c\.pem/ })
  })

  for (const { name, file, message } of refusedFiles) {
    it(`refuse a file with ${name}`, async () => {
      const { path, loaded } = await load(file)
      await assert.rejects(loaded, (error: unknown) => {
        assert.ok(error instanceof CommandFailure)
        const [, ...lines] = error.message.split('\n')
        assert.ok(error.message.startsWith(`Invalid registrations file ${path}:\n`), error.message)
        assert.ok(
          lines
            .map((line) => line.trim())
            .join('; ')
            .startsWith(message),
          error.message,
        )
        return true
      })
    })
  }
})
