/** The problems of the demo cloud. docs/how-to/demo.md has the command that shows each of them. */
export const trouble = {
  /** A quarter of the memory of this host failed after it was filled: what is left is less than what is used. */
  shrunkHost: 'gp-a1-03',
  shrunkToMb: 196_608,
  /** No host of this rack has memory left for anything but the smallest flavor. */
  fullRack: 'b2',
  /** The only host with this kind of GPU, and all but one of them are in use. */
  onlyGpuHost: 'gpu-c2-02',
  /** Its firmware hides a CPU feature that every flavor requires, so nothing was ever placed on it. */
  traitlessHost: 'gp-b1-02',
  missingTrait: 'HW_CPU_X86_AVX2',
  /** Volumes use all but this much of the storage of zone c. */
  fullPool: 'ceph-c',
  fullPoolLeftGb: 60,
  /** Being emptied for maintenance: disabled, with migrations under way. */
  disabledHost: 'gp-c1-06',
  /** This flavor spells the certification differently from the certified hosts. */
  homelessFlavor: 'v1.vault',
  wantedCertification: 'pci',
  certification: 'pci-dss',
  certifiedRacks: ['a3', 'b3'],
  /** A third anti-affine copy, with only two fast back ends. */
  homelessShare: 'shop-db-3',
  /** Disabled; one share is still on it. */
  retiredBackend: 'old-c',
} as const
