import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { explainStartFailure, readMaxOpenFiles } from '../../src/process/start-failure.ts'

const settings = { HOST: '127.0.0.1', DATA_DIR: 'data', PORT: 81, HTTPS_PORT: 82, METRICS_PORT: 83 }

describe('the message about a failed start', () => {
  const rows: [
    error: { code?: string; path?: string; port?: number; syscall?: string },
    sentence: string,
  ][] = [
    [{ code: 'EADDRINUSE', port: 80 }, 'port 80 at 127.0.0.1 is taken by another program'],
    ...(['PORT', 'HTTPS_PORT', 'METRICS_PORT'] as const).map((name): [object, string] => [
      { code: 'EADDRINUSE', port: settings[name] },
      `port ${settings[name]} at 127.0.0.1 is taken by another program: stop it, or set ${name} to another port`,
    ]),
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

  const remedy = 'raise it, for example with `ulimit -n 4096`'
  const fileRows: [fields: object, maxOpenFiles: number | undefined, sentence: string][] = [
    [{ code: 'EMFILE' }, 32, `the limit of 32 open files is too low: ${remedy}`],
    [
      { cause: { cause: { code: 'ENFILE' } } },
      undefined,
      `the limit of open files is too low: ${remedy}`,
    ],
    [{}, 63, `the limit of 63 open files is too low: ${remedy}`],
    [{}, 64, 'the message of the error'],
    [{ code: 'EADDRINUSE', port: 80 }, 63, 'port 80 at 127.0.0.1 is taken by another program'],
  ]
  for (const [fields, maxOpenFiles, sentence] of fileRows) {
    it(`for ${JSON.stringify(fields)} with ${maxOpenFiles} open files is "${sentence}"`, () => {
      const error = Object.assign(new Error('the message of the error.'), fields)
      assert.equal(explainStartFailure(error, settings, maxOpenFiles), sentence)
    })
  }

  it('contains the limit of this process', () => {
    const limit = Number(execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }))
    assert.equal(readMaxOpenFiles(process), limit)
  })
})
