package dev.outbox.sample.recovery;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Positive;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.validation.annotation.Validated;

/**
 * Settings of snapshots and of the detection of attacks.
 *
 * @param snapshotsKept How many snapshots of each guild are kept.
 * @param attack What is an attack.
 */
@Validated
@ConfigurationProperties("recovery")
record RecoverySettings(@Positive int snapshotsKept, @Valid Attack attack) {

    /**
     * What is an attack.
     *
     * @param deletions How many channels and roles a guild loses.
     * @param within In which time.
     */
    record Attack(
            @Positive int deletions, @DurationMin(nanos = 1) Duration within) {}
}
