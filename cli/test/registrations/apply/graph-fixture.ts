import { clientSecret, createTokenSource, fetchWithToken } from '@greeting/client'
import { parseRegistrations } from '@greeting/registrations'
import type { NewSecret, SecretSink } from '@greeting/registrations/apply'
import { applyPlan, namesOf, readDirectory } from '@greeting/registrations/apply'
import { type Plan, type PlanInput, planRegistrations } from '@greeting/registrations/planning'
import { GraphClient } from '../../../src/administrator/graph-client.ts'
import { administrator, FakeGraph } from './fake-graph.ts'

const origin = 'https://graph.test'

/** A Graph client of a fake Graph, with a virtual clock. It records each sleep and each secret. */
export class GraphFixture {
  readonly fake = new FakeGraph()
  readonly slept: number[] = []
  readonly waits: string[] = []
  readonly secrets: NewSecret[] = []
  nowMs = Date.parse('2026-03-01T12:00:00Z')
  readonly now = () => new Date(this.nowMs)
  sink: SecretSink = {
    prepare: async () => undefined,
    keep: async (secret) => void this.secrets.push(secret),
  }

  readonly #sleep = async (durationMs: number) => {
    this.slept.push(durationMs)
    this.nowMs += durationMs
  }

  readonly graph: GraphClient

  constructor(maxBatchesInFlight = 8) {
    this.fake.directory.now = this.now
    const runtime = {
      fetch: (input: string | URL | Request, init?: RequestInit) =>
        this.fake.handle(new Request(input, init)),
      sleep: this.#sleep,
      monotonicMs: () => this.nowMs,
      wallClockMs: () => this.nowMs,
      random: () => 0.5,
    }
    const tokens = createTokenSource({
      authority: `${origin}/${administrator.TENANT_ID}`,
      clientId: administrator.CLIENT_ID,
      credential: clientSecret(administrator.CLIENT_SECRET),
      scope: 'https://graph.microsoft.com/.default',
      runtime,
    })
    this.graph = new GraphClient({
      call: fetchWithToken({ baseUrl: origin, tokens, deadlineMs: 120_000, runtime }),
      runtime: { sleep: this.#sleep, monotonicMs: () => this.nowMs },
      maxBatchesInFlight,
      onWait: (reason) => this.waits.push(reason),
    })
  }

  async plan(file: unknown, rest: Partial<PlanInput> = {}) {
    const parsed = parseRegistrations(JSON.stringify(file))
    const state = await readDirectory(this.graph, administrator.TENANT_ID, namesOf(parsed))
    const confirmed = new Set(state.applications.map(({ appId }) => appId))
    return planRegistrations({ file: parsed, state, now: this.now(), confirmed, ...rest })
  }

  async apply(file: unknown, rest: Partial<PlanInput> = {}) {
    return this.carryOut(await this.plan(file, rest))
  }

  carryOut(plan: Plan) {
    return applyPlan(plan, { graph: this.graph, secrets: this.sink, now: this.now })
  }
}
