package dev.outbox.internal.dispatch;

import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.publish.TransactionPhase.Ending;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports, once per handler, that an exception left a {@code @Transactional} method and Spring committed: each attempt repeats that work. */
final class CommittedFailures {

    private static final Logger log = LoggerFactory.getLogger(CommittedFailures.class);

    private static final String TRANSACTIONAL_PROXY = "org.springframework.transaction.interceptor.";

    private final String handlerId;
    private final AtomicBoolean reported = new AtomicBoolean();

    CommittedFailures(String handlerId) {
        this.handlerId = handlerId;
    }

    void failed(Throwable ex, Ending last) {
        if (last == Ending.COMMIT
                && Causes.anyMatch(ex, CommittedFailures::hasLeftTransaction)
                && !reported.getAndSet(true)) {
            log.warn(
                    "{} failed with {}, but its transaction committed, so the next attempt repeats its work: Spring commits when a"
                            + " method throws a checked exception or one of noRollbackFor. Declare"
                            + " @Transactional(rollbackFor = Exception.class), or throw another exception (logged once per handler)",
                    handlerId,
                    ex.getClass().getSimpleName());
        }
    }

    private static boolean hasLeftTransaction(Throwable ex) {
        return Arrays.stream(ex.getStackTrace())
                .anyMatch((frame) -> frame.getClassName().startsWith(TRANSACTIONAL_PROXY));
    }
}
