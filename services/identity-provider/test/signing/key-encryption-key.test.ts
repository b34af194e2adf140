import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { KeyEncryptionKey } from '../../src/signing/key-encryption-key.ts'

const canary = 'canary-b3f1e0d2'

describe('a key-encryption key', () => {
  it('decrypts the values that it encrypted, even after an export and import', () => {
    const key = KeyEncryptionKey.generate()
    const sealed = key.seal(Buffer.from(canary), 'kid-1')
    assert.equal(KeyEncryptionKey.parse(key.toBase64()).open(sealed, 'kid-1').toString(), canary)
    assert.equal(KeyEncryptionKey.idOf(sealed), key.id)
  })

  it('encrypts the same value differently each time, and does not reveal it', () => {
    const key = KeyEncryptionKey.generate()
    const sealed = [1, 2].map(() => key.seal(Buffer.from(canary), 'kid-1'))
    assert.notEqual(sealed[0], sealed[1])
    assert.ok(!sealed.join().includes(canary))
    assert.ok(!sealed.join().includes(key.toBase64()))
  })

  it('derives one reproducible key for each purpose', () => {
    const key = KeyEncryptionKey.generate()
    const again = KeyEncryptionKey.parse(key.toBase64())
    assert.deepEqual(key.derive('a'), again.derive('a'))
    assert.notDeepEqual(key.derive('a'), key.derive('b'))
    assert.notDeepEqual(key.derive('a'), KeyEncryptionKey.generate().derive('a'))
    assert.equal(key.derive('a').length, 32)
  })

  it("refuses another key's value, and reports both key IDs but not the keys", () => {
    const [key, other] = [KeyEncryptionKey.generate(), KeyEncryptionKey.generate()]
    const sealed = key.seal(Buffer.from(canary), 'kid-1')
    assert.throws(
      () => other.open(sealed, 'kid-1'),
      (error: Error & { code: string }) => {
        assert.equal(error.code, 'key_encryption_key_wrong')
        assert.match(error.message, new RegExp(`${key.id}.*${other.id}`))
        for (const secret of [canary, key.toBase64(), other.toBase64()]) {
          assert.ok(!error.message.includes(secret))
        }
        return true
      },
    )
  })

  it('refuses a damaged value, and a value with another name', () => {
    const key = KeyEncryptionKey.generate()
    const sealed = key.seal(randomBytes(40), 'kid-1')
    const [version, id, nonce = '', ciphertext = ''] = sealed.split('.')
    const flipped = (text: string, index: number) => {
      const bytes = Buffer.from(text, 'base64url')
      bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index)
      return bytes.toString('base64url')
    }
    const damaged = [
      ...Array.from({ length: 12 }, (_, index) => [version, id, flipped(nonce, index), ciphertext]),
      ...Array.from({ length: 56 }, (_, index) => [version, id, nonce, flipped(ciphertext, index)]),
      [version, id, nonce, ciphertext.slice(0, -4)],
      [version, id, nonce, ''],
      [version, id, '', ciphertext],
      ['v2', id, nonce, ciphertext],
      [version, id, nonce, ciphertext, 'more'],
      [],
    ]
    for (const parts of damaged) {
      assert.throws(() => key.open(parts.join('.'), 'kid-1'), { code: 'sealed_key_corrupt' })
    }
    assert.throws(() => key.open(sealed, 'kid-2'), { code: 'sealed_key_corrupt' })
  })

  for (const [what, text] of [
    ['nothing', ''],
    ['31 bytes', randomBytes(31).toString('base64')],
    ['33 bytes', randomBytes(33).toString('base64')],
    ['hexadecimal', randomBytes(32).toString('hex')],
    ['the URL alphabet', Buffer.alloc(32, 0xff).toString('base64url')],
    ['a line break', `${randomBytes(32).toString('base64')}\n`],
    ['trailing bits', `${'A'.repeat(42)}B=`],
  ] as const) {
    it(`is not read from ${what}`, () => {
      assert.throws(
        () => KeyEncryptionKey.parse(text),
        (error: Error & { code: string }) => {
          assert.equal(error.code, 'key_encryption_key_malformed')
          assert.ok(text === '' || !error.message.includes(text.trim()))
          return true
        },
      )
    })
  }
})
