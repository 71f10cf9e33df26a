package dev.outbox.sample.push;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Settings of push.
 *
 * @param noticeBatch Number of users to whom one transaction delivers a notice.
 */
@ConfigurationProperties("push")
record PushSettings(int noticeBatch) {

    PushSettings {
        if (noticeBatch < 1) {
            throw new IllegalArgumentException("push.notice-batch must be at least 1: " + noticeBatch);
        }
    }
}
