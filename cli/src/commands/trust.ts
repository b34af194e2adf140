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
      const previous = join(resolve(dataDir), 'tls', 'authority.previous.pem')
      const replaced = await access(previous).then(
        () => previous,
        () => undefined,
      )
      const told = ways.map(({ where, lines }) => ({ where, lines: lines(shellQuote(file)) }))
      terminal.out(
        json ? `${JSON.stringify({ file, replaced, ways: told })}\n` : textOf(file, replaced, told),
      )
    })
}

function textOf(
  file: string,
  replaced: string | undefined,
  told: readonly { where: string; lines: string[] }[],
): string {
  const removal =
    replaced === undefined
      ? ''
      : `It replaced ${replaced}: trust it again, and remove that one where you trusted it.\n`
  const blocks = told.map(
    ({ where, lines }) => `${where}\n${lines.map((one) => `  ${one}\n`).join('')}`,
  )
  return `The certificate of the local authority is ${file}.
It can vouch for the names of this server only, for two years. Keep the key beside it to yourself.
A start makes a new authority near the end, or when HTTPS_NAMES names more; then trust it again.
${removal}
${blocks.join('\n')}`
}
