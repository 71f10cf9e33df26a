package dev.outbox.sample.push;

import jakarta.validation.constraints.Positive;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.validation.annotation.Validated;

/**
 * Settings of push.
 *
 * @param noticeBatch Number of users to whom one transaction delivers a notice.
 */
@Validated
@ConfigurationProperties("push")
record PushSettings(@Positive int noticeBatch) {}
