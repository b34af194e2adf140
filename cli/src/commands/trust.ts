import { access } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { CommandFailure } from '../command-failure.ts'
import { shellQuote } from '../shell-quote.ts'
import type { Terminal } from '../terminal.ts'

type Options = { readonly dataDir: string; readonly json?: true }

/** How each system is told to trust an authority: for one program, one shell or everybody. */
const ways: readonly { readonly where: string; readonly lines: (file: string) => string[] }[] = [
  { where: 'Node programs of one shell', lines: (file) => [`export NODE_EXTRA_CA_CERTS=${file}`] },
  { where: 'curl, once', lines: (file) => [`curl --cacert ${file} ...`] },
  {
    where: 'Python (requests, MSAL) and other OpenSSL programs of one shell',
    lines: (file) => [`export REQUESTS_CA_BUNDLE=${file} SSL_CERT_FILE=${file}`],
  },
  {
    where: 'Java (Spring)',
    lines: (file) => [
      `keytool -importcert -noprompt -cacerts -storepass changeit -alias greeting -file ${file}`,
    ],
  },
  {
    where: 'Debian, Ubuntu, everybody',
    lines: (file) => [
      `sudo cp ${file} /usr/local/share/ca-certificates/greeting.crt`,
      'sudo update-ca-certificates',
    ],
  },
  {
    where: 'Fedora, RHEL, everybody',
    lines: (file) => [`sudo trust anchor ${file}`],
  },
  {
    where: 'macOS, you',
    lines: (file) => [`security add-trusted-cert -k ~/Library/Keychains/login.keychain-db ${file}`],
  },
  { where: 'Windows, you', lines: (file) => [`certutil -user -addstore Root ${file}`] },
]

/** `greeting trust`: how to trust the local certificate authority. Changes nothing itself. */
export function addTrustCommand(program: Command, terminal: Terminal): void {
  program
    .command('trust')
    .description('say how to trust the certificate authority of the local identity provider')
    .option('--data-dir <path>', 'folder that greeting start keeps its files in', '.greeting')
    .option('--json', 'print JSON, failures included')
    .action(async ({ dataDir, json }: Options) => {
      const file = join(resolve(dataDir), 'tls', 'authority.pem')
      await access(file).catch((cause) => {
        throw new CommandFailure('failed', `There is no certificate authority at ${file} yet.`, {
          cause,
          remedy: 'The first "greeting start" makes it.',
        })
      })
      const told = ways.map(({ where, lines }) => ({ where, lines: lines(shellQuote(file)) }))
      terminal.out(json ? `${JSON.stringify({ file, ways: told })}\n` : textOf(file, told))
    })
}

function textOf(file: string, told: readonly { where: string; lines: string[] }[]): string {
  const blocks = told.map(
    ({ where, lines }) => `${where}\n${lines.map((one) => `  ${one}\n`).join('')}`,
  )
  return `The certificate of the local authority is ${file}.
Whoever trusts it trusts every certificate made with the key beside it: keep that to yourself.

${blocks.join('\n')}`
}
