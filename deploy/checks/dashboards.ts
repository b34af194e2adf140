import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { stringify } from 'yaml'
import { freePort } from '../../test/fixtures/free-port.ts'
import {
  dashboards,
  graphsOf,
  isLate,
  type Query,
  rateInterval,
} from '../observability/dashboards.ts'
import { greet, type SeededSystem, startSeededSystem } from '../running/seeded-system.ts'
import { sourceLauncher } from '../running/source-launcher.ts'
import type { Check } from './check.ts'

const loadMs = 40_000

/** Puts both services under load with Prometheus, and runs each query of both dashboards. */
export const dashboardQueries: Check = { name: 'dashboards', programs: ['prometheus'], run }

async function run(root: string): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'greeting-dashboards-'))
  try {
    const dataDir = join(folder, 'data')
    mkdirSync(dataDir)
    const metrics = { METRICS_PORT: '0' }
    await using system = await startSeededSystem(sourceLauncher(root, dataDir), dataDir, {
      identityProvider: metrics,
      api: metrics,
    })
    const prometheusUrl = `http://127.0.0.1:${await freePort()}`
    await using _ = await startPrometheus(folder, prometheusUrl, system)
    const startedMs = Date.now()
    const requests = await load(system)
    const lines: string[] = []
    for (const [file, dashboard] of dashboards) {
      const panels = graphsOf(dashboard)
      const empty: string[] = []
      for (const panel of panels.filter((one) => !isLate(one))) {
        const counts = (panel.targets ?? []).map((query) =>
          countSeries(prometheusUrl, query, startedMs / 1000),
        )
        if ((await Promise.all(counts)).every((count) => count === 0)) empty.push(panel.title)
      }
      assert.deepEqual(empty, [], `${file} has panels without a series`)
      lines.push(`${file}: ${panels.length} panels have series, after ${requests} requests`)
    }
    return lines
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Starts Prometheus, which reads both services each second. */
async function startPrometheus(folder: string, url: string, system: SeededSystem) {
  const { identityProvider, api } = system
  const targetOf = ({ metricsUrl }: { metricsUrl: string | undefined }) => {
    if (metricsUrl === undefined) throw new Error('the service has no listener for metrics')
    return new URL(metricsUrl).host
  }
  const jobs = { 'greeting-identity-provider': identityProvider, 'greeting-api': api }
  const config = {
    global: { scrape_interval: '1s' },
    scrape_configs: Object.entries(jobs).map(([job_name, service]) => ({
      job_name,
      static_configs: [{ targets: [targetOf(service)] }],
    })),
  }
  writeFileSync(join(folder, 'prometheus.yaml'), stringify(config))
  const flags = [
    `--config.file=${join(folder, 'prometheus.yaml')}`,
    `--storage.tsdb.path=${join(folder, 'series')}`,
    `--web.listen-address=${new URL(url).host}`,
    '--log.level=error',
  ]
  const child = spawn('prometheus', flags, { stdio: ['ignore', 'inherit', 'inherit'] })
  const ended = once(child, 'close')
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const answer = await fetch(`${url}/-/ready`).catch(() => undefined)
    if (answer?.ok) break
    await sleep(100)
  }
  return {
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Sends correct and wrong requests to both services for a while. */
async function load(system: SeededSystem): Promise<number> {
  const origins = { identityProvider: system.identityProvider.url, api: system.api.url }
  const wrong = { ...system, client: { ...system.client, clientSecret: 'wrong' } }
  const endMs = Date.now() + loadMs
  let requests = 0
  while (Date.now() < endMs) {
    // A refusal of a busy machine is a point of a graph, too.
    await greet(system, origins).catch(() => undefined)
    await fetch(`${origins.api}/api/v1/hi`)
    if (requests % 5 === 0) await greet(wrong, origins).catch(() => undefined)
    requests += 1
    await sleep(50)
  }
  return requests
}

/** The number of the series of a query since a time, with a value each second. */
async function countSeries(url: string, { expr }: Query, start: number): Promise<number> {
  const query = expr.replaceAll(rateInterval, '10s').replaceAll(/\$(namespace|release)/g, '.*')
  const body = new URLSearchParams({
    query,
    start: String(start),
    end: String(Date.now() / 1000),
    step: '1',
  })
  const answer = await fetch(`${url}/api/v1/query_range`, { method: 'POST', body })
  const { status, error, data } = (await answer.json()) as {
    status: string
    error?: string
    data: { result: readonly unknown[] }
  }
  if (status !== 'success') throw new Error(`${query}: ${error}`)
  return data.result.length
}
