import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { parseEnv } from 'node:util'
import { Consumer } from './consumer.ts'
import { peerFolder, run } from './program.ts'
import { tarballOf } from './tarball.ts'

const read = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8')

/** The blocks of a page. */
const blocksOf = (file: string) => {
  const page = read(file)
  return {
    /** The only command that contains the part. */
    commandWith: (part: string) => {
      const found = [...page.matchAll(/```sh\n(.*?)\n```/gs)].filter(([, one]) =>
        one?.includes(part),
      )
      assert.equal(found.length, 1, `${file} has one block with ${part}`)
      return found[0]?.[1] ?? ''
    },
    codeOf: (name: string) =>
      new RegExp(`\`\`\`ts ${RegExp.escape(name)}\n(.*?)\`\`\``, 's').exec(page)?.[1] ?? '',
  }
}
const { commandWith, codeOf } = blocksOf('README.md')
const protect = blocksOf('docs/guides/protect-your-api.md')

const [, jobBlock = ''] = /```ts\n(.*?)```/s.exec(read('docs/guides/client.md')) ?? []

/** The same program with `require()`, which has no `await` outside of a function. */
const asCommonJs = (code: string) =>
  code.replace(/^import (.*) from (.*)$/m, 'const $1 = require($2)\n;(async () => {').concat('})()')

const quiet = {
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_prefer_offline: 'true',
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

// npm 11 writes the type "commonjs", npm 10 writes no type. The servers run with either kind of module.
for (const [version, initial, served] of [
  ['npm-10', undefined, 'module'],
  ['npm-11', 'commonjs', 'commonjs'],
] as const)
  describe(`the blocks of the documents, pasted into an empty folder after npm init of ${version}`, () => {
    const project = new Consumer()
    for (const name of ['guard', 'client', 'testing', 'cli'])
      project.copy(tarballOf(name), basename(tarballOf(name)))
    // A pasted command finds the Node that runs these tests, and this npm.
    for (const name of ['npm', 'npx'])
      chmodSync(
        project.write(
          `.programs/${name}`,
          `#!/bin/sh\nexec '${process.execPath}' '${join(peerFolder, version, `bin/${name}-cli.js`)}' "$@"\n`,
        ),
        0o755,
      )
    const programs = join(project.folder, '.programs')
    const PATH = [programs, dirname(process.execPath), process.env.PATH].join(':')
    const shell = (line: string) => run('bash', ['-c', line], project.folder, { PATH, ...quiet })
    const started: ChildProcess[] = []
    const start = (line: string) => {
      const child = spawn('bash', ['-c', `exec ${line}`], {
        cwd: project.folder,
        env: { ...process.env, PATH, ...quiet },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      started.push(child)
      return child
    }
    after(() => {
      for (const child of started) child.kill('SIGINT')
      project[Symbol.dispose]()
    })

    it('install the packages', () => {
      rmSync(join(project.folder, 'package.json'))
      assert.equal(shell('npm init -y').status, 0)
      assert.equal(
        JSON.parse(readFileSync(join(project.folder, 'package.json'), 'utf8')).type,
        initial,
      )
      const { status, stderr } = shell(commandWith('greeting-testing'))
      assert.equal(status, 0, stderr)
    })

    const setType = (type: string | undefined) =>
      assert.equal(shell(`npm pkg ${type ? `set type=${type}` : 'delete type'}`).status, 0)
    for (const type of new Set([initial, 'commonjs', 'module']))
      it(`test the API if package.json has the type ${type}`, () => {
        setType(type)
        project.write('api.test.mts', codeOf('api.test.mts'))
        const { status, stdout } = shell(commandWith('node --test'))
        assert.equal(status, 0, stdout)
        assert.match(stdout, /pass 1\n/)
      })

    it('fail if the API admits a client without the role', () => {
      project.write(
        'api.test.mts',
        codeOf('api.test.mts').replace('.status, 403)', '.status, 200)'),
      )
      assert.equal(shell(commandWith('node --test')).status, 1)
    })

    const name =
      'protect an Express API, which answers 200 to the registered client and 401 without a token'
    it(name, { timeout: 120_000 }, async () => {
      setType(served)
      const [install = '', begin = ''] = commandWith('greeting-cli').split('\n')
      const installed = shell(install)
      assert.equal(installed.status, 0, installed.stderr)
      const system = start(
        `${begin.replace('npx --no-install greeting', 'node node_modules/@greeting/cli/bin/greeting.js')} --json --api-port 0 --identity-port 0`,
      )
      assert.ok(system.stdout)
      await once(createInterface(system.stdout), 'line')
      const port = String(await freePort())
      project.write('express.mts', codeOf('express.mts').replace('3001', port))
      start(commandWith('node --env-file'))
      assert.equal(await answerOf(commandWith('curl'), '3001', port), '[] 200')
      assert.equal((await fetch(`http://localhost:${port}/api/orders`)).status, 401)
    })

    /** What a command prints once its server listens, on another port than the page has. */
    async function answerOf(command: string, documented: string, port: string): Promise<string> {
      assert.ok(command.includes(`localhost:${documented}`))
      const call = command.replace(documented, port).replace('curl', 'curl --silent --show-error')
      while (true) {
        const { status, stdout } = shell(call)
        if (status === 0) return stdout
        await wait(200)
      }
    }

    it('protect an MCP server, which responds with 200 to a permitted tool and 401 without a token', {
      timeout: 120_000,
    }, async () => {
      const installed = shell(protect.commandWith('@modelcontextprotocol/server'))
      assert.equal(installed.status, 0, installed.stderr)
      const port = String(await freePort())
      project.write('mcp.mts', protect.codeOf('mcp.mts').replaceAll('3002', port))
      start(protect.commandWith('mcp.mts'))
      const call = protect.commandWith('tools/call')
      assert.match(await answerOf(call, '3002', port), /"text":"Hi"[\s\S]* 200$/)
      const unknown = call.replace('"name":"hi"', '"name":"other"')
      assert.match(await answerOf(unknown, '3002', port), / 403$/)
      assert.equal((await fetch(`http://localhost:${port}/mcp`, { method: 'POST' })).status, 401)
    })

    // The block has the addresses and IDs of a tenant. The system that runs has others.
    const jobs = { 'job.mjs': (code: string) => code, 'job.cjs': asCommonJs }
    for (const [file, written] of Object.entries(jobs))
      it(`call an API from ${file} together with the first block of docs/guides/client.md`, () => {
        const installed = shell(`npm install ./${basename(tarballOf('client'))}`)
        assert.equal(installed.status, 0, installed.stderr)
        const settings = parseEnv(
          readFileSync(join(project.folder, '.greeting/client.env'), 'utf8'),
        )
        const { AUTH_URL, TENANT_ID, CLIENT_ID = '', CLIENT_SECRET = '', BASE_URL = '' } = settings
        const code = jobBlock
          .replace(/https:\/\/login[^']+/, `${AUTH_URL}/${TENANT_ID}`)
          .replace(/(?<=clientId: ')[^']+/, CLIENT_ID)
          .replace(/(?<=clientSecret\(')[^']+/, CLIENT_SECRET)
          .replace(/(?<=api:\/\/)[0-9a-f-]+/, settings.API_APPLICATION_ID ?? '')
          .replace(/https:\/\/api.example/, BASE_URL)
        project.write(file, written(code))
        const { status, stdout, stderr } = shell(`node ${file}`)
        assert.deepEqual([status, stdout], [0, 'Hi\n'], stderr)
      })
  })
