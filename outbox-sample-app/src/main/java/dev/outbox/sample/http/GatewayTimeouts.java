package dev.outbox.sample.http;

import java.time.Duration;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Limits of a call to another system. Their sum should stay below the timeout of the handler.
 *
 * @param connect Time to connect.
 * @param read Time from the request to the end of the answer.
 */
public record GatewayTimeouts(
        @DefaultValue("1s") Duration connect,
        @DefaultValue("3s") Duration read) {

    /** Checks that both are positive. */
    public GatewayTimeouts {
        if (!isPositive(connect) || !isPositive(read)) {
            throw new IllegalArgumentException("timeouts must be positive: connect " + connect + ", read " + read);
        }
    }

    private static boolean isPositive(Duration timeout) {
        return !timeout.isNegative() && !timeout.isZero();
    }
}
