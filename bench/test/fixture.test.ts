import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { rsaKeyPair } from '../../fixtures/rsa-key-pair.ts'
import { createFixture, createTokenPool } from '../harness/fixture.ts'

describe('a token pool', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pool-'))
  })
  after(() => rm(folder, { recursive: true }))

  it('has the requested number of distinct tokens', async () => {
    const pool = await createTokenPool(
      createFixture(() => rsaKeyPair().privateKey),
      1003,
      join(folder, 'tokens.txt'),
    )
    const lines = (await readFile(pool.path, 'utf8')).trimEnd().split('\n')
    assert.equal(pool.count, 1003)
    assert.equal(new Set(lines).size, 1003)
  })
})
