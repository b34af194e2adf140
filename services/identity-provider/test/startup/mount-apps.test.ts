import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isPortalOn } from '../../src/startup/mount-apps.ts'

const remote = 'https://login.example'

describe('the portal', () => {
  for (const [HOST, authUrl, PORTAL, isOn] of [
    ['127.0.0.1', 'http://127.0.0.1:4000', undefined, true],
    ['::1', 'http://[::1]:4000', undefined, true],
    ['localhost', 'https://localhost:4443', undefined, true],
    ['0.0.0.0', 'http://127.0.0.1:4000', undefined, false],
    ['127.0.0.1', remote, undefined, false],
    ['0.0.0.0', remote, 'on', true],
    ['0.0.0.0', 'http://login.example', 'on', false],
    ['127.0.0.1', 'http://127.0.0.1:4000', 'off', false],
  ] as const) {
    it(`AS39: is ${isOn ? 'on' : 'off'} for ${HOST} with ${authUrl} and the setting ${PORTAL ?? 'absent'}`, () => {
      const warned: string[] = []
      const log = { warn: (_fields: object, text: string) => void warned.push(text) }
      assert.equal(isPortalOn({ HOST, PORTAL }, { authUrl }, log), isOn)
      assert.equal(warned.length, PORTAL === 'on' && !isOn ? 1 : 0)
    })
  }
})
