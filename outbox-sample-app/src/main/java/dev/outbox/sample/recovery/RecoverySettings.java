package dev.outbox.sample.recovery;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Settings of snapshots.
 *
 * @param snapshotsKept How many snapshots of each guild are kept.
 */
@ConfigurationProperties("recovery")
record RecoverySettings(int snapshotsKept) {

    RecoverySettings {
        if (snapshotsKept < 1) {
            throw new IllegalArgumentException("recovery.snapshots-kept must be positive: " + snapshotsKept);
        }
    }
}
