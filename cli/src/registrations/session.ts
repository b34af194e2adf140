import {
  type AdministratorSettings,
  graphClientOf,
  graphRuntime,
} from '../administrator/administrator-settings.ts'
import type { GraphClient } from '../administrator/graph-client.ts'
import type { Terminal } from '../terminal.ts'
import { type Applied, applyPlan } from './apply/apply.ts'
import { namesOf, readDirectory, withFederatedCredentials } from './apply/read-directory.ts'
import type { SecretSink } from './apply/secret-sink.ts'
import { waitUntilVisible } from './apply/wait-until-visible.ts'
import { type LoadedFile, requireTenant } from './load-file.ts'
import { type Plan, type PlanInput, planRegistrations } from './planning/plan.ts'

/** The registrations of one tenant, as one administrator reads and changes them. */
export class RegistrationsSession {
  readonly settings: AdministratorSettings
  readonly graph: GraphClient
  readonly #stop: AbortSignal

  constructor(settings: AdministratorSettings, { err, stop }: Pick<Terminal, 'err' | 'stop'>) {
    this.settings = settings
    this.#stop = stop
    this.graph = graphClientOf(settings, {
      signal: stop,
      onWait: (reason, durationMs) =>
        err(`The directory: ${reason}. Next attempt in ${(durationMs / 1000).toFixed(1)} s.\n`),
    })
  }

  /**
   * Compares a file with the directory as it is now.
   *
   * @throws {CommandFailure} badUsage when the file is for another tenant.
   */
  async plan(
    loaded: LoadedFile,
    options: Pick<PlanInput, 'rotate' | 'confirmed' | 'writesIds'> = {},
  ): Promise<Plan> {
    requireTenant(loaded, this.settings.TENANT_ID)
    const { file, certificates } = loaded
    const names = namesOf(file)
    const read = await readDirectory(this.graph, this.settings.TENANT_ID, names)
    const identified = new Set([...(names.applicationIds ?? []), ...(options.confirmed ?? [])])
    const state = await withFederatedCredentials(this.graph, read, identified)
    return planRegistrations({ file, state, certificates, now: new Date(), ...options })
  }

  /** Does what a plan says. */
  apply(
    plan: Plan,
    secrets: SecretSink,
    onRegistered: (applicationId: string) => Promise<void>,
  ): Promise<Applied> {
    return applyPlan(plan, { graph: this.graph, secrets, signal: this.#stop, onRegistered })
  }

  /** Waits until the directory shows what was done; resolves with whether it did in time. */
  waitUntilVisible(loaded: LoadedFile, { applicationIds }: Applied): Promise<boolean> {
    const confirmed = new Set(applicationIds.values())
    return waitUntilVisible({ ...graphRuntime, plan: () => this.plan(loaded, { confirmed }) })
  }
}
