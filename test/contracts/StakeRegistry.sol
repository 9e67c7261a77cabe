// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// Stake and roles of accounts, as small as a sandbox needs them. Not for a chain where ether has a value: the owner may
/// book stake that nobody paid.
contract StakeRegistry {
    struct Account {
        uint256 staked;
        bool submitter;
        bool attester;
    }

    address public immutable owner;
    /// Stake an account needs, wei.
    uint256 public minimumStake;

    mapping(address => Account) private accounts;

    event StakeChanged(address indexed account, uint256 staked);
    event RolesChanged(address indexed account, bool submitter, bool attester);
    event MinimumChanged(uint256 minimum);

    error OnlyOwner();
    error StakeTooSmall(uint256 staked, uint256 asked);
    error NotPaidOut();

    modifier onlyOwner() {
        if (msg.sender != owner) revert OnlyOwner();
        _;
    }

    constructor(uint256 minimum) {
        owner = msg.sender;
        minimumStake = minimum;
        emit MinimumChanged(minimum);
    }

    /// Takes or gives up roles for oneself.
    function register(bool submitter, bool attester) external {
        putRoles(msg.sender, submitter, attester);
    }

    function stake() external payable {
        putStake(msg.sender, accounts[msg.sender].staked + msg.value);
    }

    function withdraw(uint256 amount) external {
        uint256 staked = accounts[msg.sender].staked;
        if (amount > staked) revert StakeTooSmall(staked, amount);
        putStake(msg.sender, staked - amount);
        (bool paid, ) = msg.sender.call{value: amount}("");
        if (!paid) revert NotPaidOut();
    }

    function setMinimum(uint256 minimum) external onlyOwner {
        minimumStake = minimum;
        emit MinimumChanged(minimum);
    }

    function setRoles(address account, bool submitter, bool attester) external onlyOwner {
        putRoles(account, submitter, attester);
    }

    /// For tests: books a stake without any ether behind it, so it may be more than can be withdrawn.
    function setStake(address account, uint256 staked) external onlyOwner {
        putStake(account, staked);
    }

    function stakeOf(address account) external view returns (uint256) {
        return accounts[account].staked;
    }

    function isSubmitter(address account) external view returns (bool) {
        return accounts[account].submitter;
    }

    function isAttester(address account) external view returns (bool) {
        return accounts[account].attester;
    }

    function putStake(address account, uint256 staked) private {
        accounts[account].staked = staked;
        emit StakeChanged(account, staked);
    }

    function putRoles(address account, bool submitter, bool attester) private {
        accounts[account].submitter = submitter;
        accounts[account].attester = attester;
        emit RolesChanged(account, submitter, attester);
    }
}
