import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Peer, RunningPeer, Verification } from './peers.ts'

const source = join(import.meta.dirname, 'spring-security')
const cache = join(import.meta.dirname, 'node_modules/.cache/spring-security')
const classpathFile = join(cache, 'classpath')

/** The programs that Spring Security needs and that are not installed. */
export const missingPrograms: readonly string[] = ['java', 'javac', 'mvn'].filter(
  (program) => spawnSync(program, ['--version']).status !== 0,
)

const classpath = () => readFileSync(classpathFile, 'utf8').trim()

/** Spring Boot with Spring Security: Maven installs it, and it runs as a process. */
export const springSecurity: Peer = {
  name: 'Spring Security',
  versions: () =>
    ['spring-security-oauth2-jose', 'nimbus-jose-jwt', 'spring-boot'].map((name) => {
      const [, version] = new RegExp(`/${name}-([0-9.]+)\\.jar`).exec(classpath()) ?? []
      return `${name} ${version}`
    }),
  start: async (verification) => {
    install()
    return run(verification)
  },
}

function install(): void {
  mkdirSync(cache, { recursive: true })
  const plugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath'
  const repository = `-Dmaven.repo.local=${join(cache, 'maven')}`
  const pom = join(source, 'pom.xml')
  must('mvn', ['-q', '-B', repository, '-f', pom, plugin, `-Dmdep.outputFile=${classpathFile}`])
  must('javac', ['-d', cache, '-cp', classpath(), join(source, 'OrdersApi.java')])
}

function must(program: string, args: readonly string[]): void {
  const { status } = spawnSync(program, args, { stdio: ['ignore', 2, 2] })
  if (status !== 0) throw new Error(`${program} ended with status ${status}`)
}

async function run({ issuer, audience, role }: Verification): Promise<RunningPeer> {
  const settings = {
    'server.address': '127.0.0.1',
    'server.port': '0',
    'spring.main.banner-mode': 'off',
    'logging.level.root': 'warn',
    'spring.security.oauth2.resourceserver.jwt.issuer-uri': issuer,
    'spring.security.oauth2.resourceserver.jwt.audiences': audience,
  }
  const properties = Object.entries(settings).map(([name, value]) => `-D${name}=${value}`)
  const args = [...properties, '-cp', [cache, classpath()].join(delimiter), 'OrdersApi', role]
  const java = spawn('java', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(java, 'exit')
  for await (const row of createInterface(java.stdout)) {
    const [, port] = /^port (\d+)$/.exec(row) ?? []
    if (port === undefined) continue
    java.stdout.resume()
    const stop = async () => {
      java.kill()
      await ended
    }
    return { url: `http://127.0.0.1:${port}/`, stop }
  }
  throw new Error('Spring Boot has ended at its start')
}
