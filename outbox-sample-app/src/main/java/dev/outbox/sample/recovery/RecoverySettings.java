package dev.outbox.sample.recovery;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Settings of snapshots and of the detection of attacks.
 *
 * @param snapshotsKept How many snapshots of each guild are kept.
 * @param attack What is an attack.
 */
@ConfigurationProperties("recovery")
record RecoverySettings(int snapshotsKept, Attack attack) {

    RecoverySettings {
        if (snapshotsKept < 1) {
            throw new IllegalArgumentException("recovery.snapshots-kept must be positive: " + snapshotsKept);
        }
    }

    /**
     * What is an attack.
     *
     * @param deletions How many channels and roles a guild loses.
     * @param within In which time.
     */
    record Attack(int deletions, Duration within) {

        Attack {
            if (deletions < 1) {
                throw new IllegalArgumentException("recovery.attack.deletions must be positive: " + deletions);
            }
            if (within.isNegative() || within.isZero()) {
                throw new IllegalArgumentException("recovery.attack.within must be positive: " + within);
            }
        }
    }
}
