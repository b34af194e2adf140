// Folder: The registrations file, its secrets and the session with its server.

import type { ReadOptions, SecretSink } from '@greeting/registrations/apply'
import {
  type Applied,
  type ApplyOptions,
  applyPlan,
  defaultRequestsInFlight,
  namesOf,
  readDirectory,
  readWholeDirectory,
  waitUntilVisible,
  withHolders,
} from '@greeting/registrations/apply'
import type { DirectoryState } from '@greeting/registrations/directory'
import { type Plan, type PlanInput, planRegistrations } from '@greeting/registrations/planning'
import {
  type AdministratorSettings,
  graphClientOf,
  graphRuntime,
} from '../administrator/administrator-settings.ts'
import type { GraphClient, GraphClientOptions } from '../administrator/graph-client.ts'
import { type LoadedFile, requireTenant } from './load-file.ts'

type SessionOptions = ReadOptions & {
  /** Ends waits, reads and runs. A change that has begun is finished. */
  readonly stop: AbortSignal
  /** Receives each wait for the directory, with its reason and duration. */
  readonly onWait?: GraphClientOptions['onWait']
}

type PlanOptions = Pick<PlanInput, 'rotate' | 'confirmed' | 'writesIds'> & {
  /** Finds what a killed run left in the directory. */
  readonly resume?: (state: DirectoryState) => Promise<Pick<PlanInput, 'confirmed' | 'lost'>>
}

/** Reads and changes the registrations of one tenant as one administrator. */
export class RegistrationsSession {
  readonly settings: AdministratorSettings
  readonly graph: GraphClient
  readonly #stop: AbortSignal
  readonly #readOptions: ReadOptions

  constructor(settings: AdministratorSettings, options: SessionOptions) {
    const { stop, onWait, ...readOptions } = options
    this.settings = settings
    this.#stop = stop
    this.#readOptions = readOptions
    const { maxRequestsInFlight: maxBatchesInFlight = defaultRequestsInFlight } = readOptions
    this.graph = graphClientOf(settings, {
      maxBatchesInFlight,
      signal: stop,
      ...(onWait && { onWait }),
    })
  }

  /**
   * Compares a file with the current directory.
   *
   * @throws {CommandFailure} bad_usage when the file is for another tenant.
   */
  async plan(loaded: LoadedFile, { resume, ...given }: PlanOptions = {}): Promise<Plan> {
    requireTenant(loaded, this.settings.TENANT_ID)
    const { file, certificates } = loaded
    const names = namesOf(file)
    const { graph, settings } = this
    const read = await readDirectory(graph, settings.TENANT_ID, names, this.#readOptions)
    const options = { ...given, ...(await resume?.(read)) }
    const identified = new Set([...(names.applicationIds ?? []), ...(options.confirmed ?? [])])
    const now = new Date()
    const state = await withHolders(graph, read, { identified, now }, this.#readOptions)
    const administrator = settings.CLIENT_ID
    return planRegistrations({
      file,
      state,
      certificates,
      now,
      administrator,
      ...options,
    })
  }

  /** Reads all applications of the tenant. */
  readAll(): Promise<DirectoryState> {
    return readWholeDirectory(this.graph, this.settings.TENANT_ID, this.#readOptions)
  }

  apply(
    plan: Plan,
    secrets: SecretSink,
    options: Pick<ApplyOptions, 'now' | 'onBegin' | 'onRegistered' | 'uniqueName'>,
  ): Promise<Applied> {
    const { graph } = this
    return applyPlan(plan, {
      ...this.#readOptions,
      graph,
      secrets,
      signal: this.#stop,
      ...options,
    })
  }

  /** Waits until the directory shows the changes; resolves with whether it did in time. */
  waitUntilVisible(loaded: LoadedFile, { applicationIds }: Applied): Promise<boolean> {
    const confirmed = new Set(applicationIds.values())
    return waitUntilVisible({ ...graphRuntime, plan: () => this.plan(loaded, { confirmed }) })
  }
}
