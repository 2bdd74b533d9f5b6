//! Sentences about definitions of tables and changes of them, each once: a part of
//! [`super`], which is the only way to them. Source: answers of the service, 2026-10, but for the
//! lines marked "ours".

use super::super::{TableFault, WarmFloor};
use super::invalid;

/// Returns the sentence.
#[expect(clippy::too_many_lines, reason = "a flat table of sentences, one an arm")]
pub fn fault(fault: &TableFault) -> String {
    match fault {
        TableFault::IndexKeyTwice => {
            "The KeySchema contains multiple key attributes with the same name".to_owned()
        }
        TableFault::TooManyIndexKeys(role) => invalid(format!(
            "The KeySchema exceeds the maximum allowed number of {role} key attributes"
        )),
        TableFault::IndexKeyOrder => {
            invalid("All HASH key attributes must precede RANGE key attributes in the KeySchema")
        }
        TableFault::ProjectedTwice(attribute) => {
            invalid(format!("Duplicate element in NonKeyAttributes: {attribute}"))
        }
        TableFault::Redefined { existing, new } => invalid(format!(
            "Attributes cannot be redefined. Please check that your attribute has the same type \
             as previously defined. Existing schema: Schema:[{existing}] New schema: Schema:[{new}]"
        )),
        TableFault::DefinitionsMissing(index) => {
            invalid(format!("AttributeDefinitions is not specified for index: {index}"))
        }
        TableFault::TooManyIndexes => "Subscriber limit exceeded: Number of global secondary \
                                       indexes exceeds per-table limit of 20"
            .to_owned(),
        TableFault::NotGlobal { action, index } => {
            format!("Cannot {action} an index that is not a GlobalSecondaryIndex: {index}")
        }
        TableFault::IndexUnitsMissing(index) => {
            invalid(format!("ProvisionedThroughput is not specified for index: {index}"))
        }
        TableFault::AddedIndexUnitsMissing(index) => invalid(format!(
            "Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: {index}"
        )),
        TableFault::UnitsWithOnDemand => {
            invalid("ProvisionedThroughput cannot be specified when BillingMode is PAY_PER_REQUEST")
        }
        TableFault::MaximumOnProvisioned { index, member, of_update } => {
            let of_index =
                index.as_ref().map_or(String::new(), |index| format!(" for index: {index}"));
            let (the, stop) = if *of_update { ("the ", "") } else { ("", ".") };
            invalid(format!(
                "{member} for OnDemandThroughput{of_index} cannot be specified when {the}table \
                 BillingMode is PROVISIONED{stop}"
            ))
        }
        TableFault::MaximumOutOfRange { index, member } => {
            let place =
                index.as_ref().map_or("table".to_owned(), |index| format!("index : {index}")); // sic
            invalid(format!(
                "Requested {member} for OnDemandThroughput for {place} is outside of valid range"
            ))
        }
        TableFault::MaximaEmpty => invalid(
            "OnDemandThroughput must have at least one of MaxReadRequestUnits or \
             MaxWriteRequestUnits specified", // ours: the service fails with a status of 500
        ),
        TableFault::WarmTooLow { index, is_write, floor } => {
            warm_too_low(index.as_deref(), *is_write, *floor)
        }
        TableFault::WarmEmpty { index } => {
            let place =
                index.as_ref().map_or(String::new(), |index| format!(" for index: {index}"));
            // Of a table: ours, the service fails with a status of 500.
            invalid(format!(
                "WarmThroughput must have at least one of ReadUnitsPerSecond or \
                 WriteUnitsPerSecond specified{place}"
            ))
        }
        TableFault::NothingToUpdate { has_consistency } => {
            let consistency = if *has_consistency { "" } else { "MultiRegionConsistency, " };
            format!(
                "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, \
                 GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, \
                 MultiAccountReplicaReady, ReplicaTransitRoleArn, \
                 {consistency}DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or \
                 TableClass is required"
            )
        }
        TableFault::SettingsOverridden => {
            "Value 'ENABLED_WITH_OVERRIDES' at 'GlobalTableSettingsReplicationMode' failed to \
             satisfy constraint: Only ENABLED and DISABLED settings replication are supported for \
             a Regional Table."
                .to_owned()
        }
        TableFault::NotAlone(change) => {
            invalid(format!("{change} must be the only operation in the request"))
        }
        TableFault::MaximaNotAlone => invalid(
            "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request",
        ),
        TableFault::StreamWithUnits => {
            invalid("You cannot modify stream status while updating table IOPS")
        }
        TableFault::IndexWithUnits => {
            invalid("You cannot create or delete index while updating table IOPS")
        }
        TableFault::IndexWithStream => {
            invalid("You cannot create or delete index while changing stream status")
        }
        TableFault::IndexWithWarm => invalid(
            "Create global secondary index cannot be specified when updating WarmThroughput",
        ),
        TableFault::IndexUpdatesEmpty => invalid("List of GlobalSecondaryIndexUpdates is empty"),
        TableFault::IndexUpdateTwice(index) => invalid(format!(
            "Only one global secondary index update per index is allowed simultaneously. Index: \
             {index}"
        )),
        TableFault::IndexUpdateSeveral => invalid(
            "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate \
             object",
        ),
        TableFault::IndexUpdateOnDemand(index) => invalid(format!(
            "The only Updates for index: {index} when TableThroughputMode is PAY_PER_REQUEST can \
             be to OnDemandThroughput, WarmThroughput"
        )),
        TableFault::StreamViewMissing { of_update: true } => {
            invalid("If stream is being enabled then UpdateViewType is required")
        }
        TableFault::StreamViewMissing { of_update: false } => {
            invalid("Table is being created with a stream enabled, UpdateViewType is required")
        }
        TableFault::StreamViewForbidden { of_update: true } => {
            invalid("If stream is being disabled, then UpdateViewType must not be specified")
        }
        TableFault::StreamViewForbidden { of_update: false } => invalid(
            "Table is being created with a stream disabled, UpdateViewType should not be specified",
        ),
        TableFault::EncryptionOffWith { member } => {
            invalid(format!("{member} can not be specified if Enabled is false"))
        }
        TableFault::EncryptionKeyWithoutType => {
            invalid("SSEType KMS is required if KMSMasterKeyId is specified")
        }
        TableFault::EncryptionTypeUnsupported => invalid("SSEType AES256 is not supported"),
        TableFault::EncryptionOff => invalid("Table is already encrypted by default"),
        TableFault::EncryptionKeyUnchanged => invalid(
            "Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter \
             if you want to change Master Key",
        ),
    }
}

fn warm_too_low(index: Option<&str>, is_write: bool, floor: WarmFloor) -> String {
    let place = index.map_or("table".to_owned(), |index| format!("index {index}"));
    let kind = if is_write { "Write" } else { "Read" };
    let below = match floor {
        WarmFloor::OnDemand => "initial throughput for OnDemand. See: \
            https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html#on-demand-capacity-mode-initial"
            .to_owned(),
        WarmFloor::Provisioned => format!("{kind}CapacityUnits of ProvisionedThroughput"),
        WarmFloor::Current => {
            "current WarmThroughput, decreasing WarmThroughput is not supported".to_owned()
        }
    };
    invalid(format!(
        "Requested {kind}UnitsPerSecond for WarmThroughput for {place} is lower than {below}"
    ))
}
