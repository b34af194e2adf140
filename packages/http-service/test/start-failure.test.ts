import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { explainStartFailure } from '../src/start-failure.ts'

const settings = { HOST: '127.0.0.1', DATA_DIR: 'data' }

describe('the sentence about a failed start', () => {
  const rows: [
    error: { code?: string; path?: string; port?: number; syscall?: string },
    sentence: string,
  ][] = [
    [{ code: 'EADDRINUSE', port: 80 }, 'port 80 at 127.0.0.1 is taken by another program'],
    [{ code: 'EACCES', port: 80 }, 'this user may not listen on port 80 at 127.0.0.1'],
    [{ code: 'EACCES', path: '/x' }, 'this user may not use /x'],
    [{ code: 'EPERM', path: '/x' }, 'this user may not use /x'],
    [{ code: 'EADDRNOTAVAIL' }, '127.0.0.1 is not an address of this machine'],
    [{ code: 'ENOTFOUND' }, 'no address is known for the host 127.0.0.1'],
    [{ code: 'ENOENT', path: '/x' }, '/x does not exist'],
    [{ code: 'ENOENT', path: '/x', syscall: 'mkdir' }, '/x cannot be created there'],
    [{ code: 'EEXIST', path: '/x' }, '/x is a file'],
    [{ code: 'ENOTDIR', path: '/x' }, 'a part of /x is not a folder'],
    [{ code: 'EISDIR', path: '/x' }, '/x is a folder'],
    [{ code: 'EROFS', path: '/x' }, '/x is on a read-only disk'],
    [{ code: 'ENOSPC', path: '/x' }, 'the disk of /x is full'],
    [{ code: 'ENOSPC' }, 'the disk of data is full'],
    [{ code: 'EOTHER' }, 'the message of the error'],
    [{}, 'the message of the error'],
  ]
  for (const [fields, sentence] of rows) {
    it(`for ${JSON.stringify(fields)} is "${sentence}"`, () => {
      const error = Object.assign(new Error('the message of the error.'), fields)
      assert.equal(explainStartFailure(error, settings), sentence)
    })
  }
})
