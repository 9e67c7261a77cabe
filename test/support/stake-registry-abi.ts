import { parseAbi } from 'viem'

/** What `StakeRegistry.sol` can be asked, typed; the compiled contract lies beside it as JSON. */
export const stakeRegistryAbi = parseAbi([
  'constructor(uint256 minimum)',
  'function owner() view returns (address)',
  'function minimumStake() view returns (uint256)',
  'function stakeOf(address account) view returns (uint256)',
  'function isSubmitter(address account) view returns (bool)',
  'function isAttester(address account) view returns (bool)',
  'function register(bool submitter, bool attester)',
  'function stake() payable',
  'function withdraw(uint256 amount)',
  'function setMinimum(uint256 minimum)',
  'function setRoles(address account, bool submitter, bool attester)',
  'function setStake(address account, uint256 staked)',
  'event StakeChanged(address indexed account, uint256 staked)',
  'event RolesChanged(address indexed account, bool submitter, bool attester)',
  'event MinimumChanged(uint256 minimum)',
  'error OnlyOwner()',
  'error StakeTooSmall(uint256 staked, uint256 asked)',
  'error NotPaidOut()',
])
