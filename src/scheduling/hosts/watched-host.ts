import { WorldHost } from './world-host.ts'

/** A host that remembers whether somebody asked it for what a further claim changes. */
export class WatchedHost extends WorldHost {
  readsUsage = false

  override get ramMibFree(): number {
    this.readsUsage = true
    return super.ramMibFree
  }
  override get diskMibFree(): number {
    this.readsUsage = true
    return super.diskMibFree
  }
  override get vcpusUsed(): number {
    this.readsUsage = true
    return super.vcpusUsed
  }
  override get instanceCount(): number {
    this.readsUsage = true
    return super.instanceCount
  }
  override get pciDevicesFree(): number {
    this.readsUsage = true
    return super.pciDevicesFree
  }
  override instanceImages() {
    this.readsUsage = true
    return super.instanceImages()
  }
}
