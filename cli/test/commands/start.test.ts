import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startLines, startText } from '../../src/commands/start.ts'
import { DataFolder } from '../../src/system/data-folder.ts'
import { shellQuote } from '../../src/text/visible-text.ts'

const id = '8d5f9a0c-0c1e-4a57-9d0e-2f6a3b1c4d5e'
const folders = { win32: 'C:\\Users\\Ada L\\api', linux: '/home/ada l/api' } as const

/** The texts of a start with all options, as a system prints them. */
function printed(platform: keyof typeof folders, folder: string, columns?: number) {
  const slash = platform === 'win32' ? '\\' : '/'
  const workingFolder = folders[platform]
  const inFolder = (name: string) => `${folder}${slash}${name}`
  const dataFolder = Object.defineProperties(new DataFolder(folder), {
    clientEnvFile: { value: inFolder('client.env') },
    logFolder: { value: inFolder('logs') },
  })
  const facts = {
    dataFolder,
    identityProviderUrl: 'http://127.0.0.1:4000',
    identityProviderHttpsUrl: 'https://localhost:4443',
    apiUrl: 'http://127.0.0.1:3000',
    apiHttpsUrl: 'https://localhost:3443',
    managedIdentity: { url: 'http://127.0.0.1:4001', files: [inFolder('app-service.env')] },
    labUrl: 'http://127.0.0.1:4000/lab',
    acceptsMcpClients: true,
    client: {
      TENANT_ID: id,
      CLIENT_ID: id,
      CLIENT_SECRET: 'x',
      API_APPLICATION_ID: id,
      displayName: 'Greeting client',
    },
  }
  const command = 'npx --no-install greeting'
  const isDefaultFolder = folder === `${workingFolder}${slash}.greeting`
  const around = { command, workingFolder, isDefaultFolder, platform, columns }
  return { text: startText(facts, around), lines: startLines(facts, around) }
}

describe('the text after a start', () => {
  const rows = [
    ['win32', 'C:\\Users\\Ada L\\api\\.greeting', '', '.\\.greeting\\logs'],
    ['win32', 'C:\\Users\\Ada L\\api\\data', ' --settings .\\data\\client.env', '.\\data\\logs'],
    ['win32', 'D:\\my data', ' --settings "D:\\my data\\client.env"', 'D:\\my data\\logs'],
    ['linux', '/home/ada l/api/.greeting', '', './.greeting/logs'],
    ['linux', "/tmp/my 'data", " --settings '/tmp/my '\\''data/client.env'", "/tmp/my 'data/logs"],
  ] as const
  for (const [platform, folder, option, logs] of rows)
    it(`on ${platform} uses the paths and quotes of its shells: ${folder}`, () => {
      const { text, lines } = printed(platform, folder)
      assert.match(text, /\n {2}read {3}http:\S+\n {2}stop {3}Ctrl-C\n\n$/)
      assert.ok(text.includes(`  try    npx --no-install greeting hi${option}\n`), text)
      assert.ok(text.includes(`  logs               in ${logs}\n`), text)
      if (platform !== 'win32') return
      const words = { token: 'token', hi: 'hi', hello: 'hello --name Ada' }
      for (const name of ['token', 'hi', 'hello'] as const)
        assert.equal(lines[name], `npx --no-install greeting ${words[name]}${option}`)
    })

  it('wraps its columns on a terminal with 60 columns, but keeps commands whole', () => {
    const { text } = printed('linux', '/home/ada l/api/.greeting', 60)
    assert.deepEqual(
      text.split('\n').filter((line) => line.length > 60),
      [],
    )
    assert.match(text, new RegExp(`:4000 {2}tenant\\n {21}${id}\\n`))
    assert.match(text, /:4443 {2}see\n {21}npx --no-install greeting trust\n/)
    assert.match(text, /forged\n {21}tokens and faults: never use it in\n {21}production\n/)
    assert.match(text, / MCP clients +MCP_CLIENTS=on accepts requests that\n {21}Entra refuses\n/)
    assert.doesNotMatch(text, / \n/)
  })
})

describe('a shell word', () => {
  const rows = [
    ['linux', 'a-b', 'a-b'],
    ['linux', '$(run)', "'$(run)'"],
    ['win32', 'C:\\a\\b', 'C:\\a\\b'],
    ['win32', 'a & b', '"a & b"'],
    ['win32', 'a" & $(run) `n %PATH% \u201d!', '"a? & ?(run) ?n ?PATH? ??"'],
  ] as const
  for (const [platform, text, word] of rows)
    it(`on ${platform} is ${word} for ${text}`, () => {
      assert.equal(shellQuote(text, platform), word)
    })
})
