package dev.outbox.sample.notification;

import dev.outbox.NonRetryableException;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.springframework.context.annotation.Primary;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Messenger that records its calls. It may refuse recipients, and fail after it has sent a message. */
@Primary
final class RecordingMessenger implements Messenger {

    private final List<Call> calls = new CopyOnWriteArrayList<>();
    private final Set<String> refused = ConcurrentHashMap.newKeySet();
    private final AtomicInteger answersToLose = new AtomicInteger();
    private final DataSource dataSource;

    RecordingMessenger(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    @Override
    public void send(String recipient, String message, UUID idempotencyKey) {
        boolean inTransaction = TransactionSynchronizationManager.isActualTransactionActive();
        boolean holdsConnection = TransactionSynchronizationManager.hasResource(dataSource);
        calls.add(new Call(recipient, message, idempotencyKey, inTransaction, holdsConnection));
        if (refused.contains(recipient)) {
            throw new NonRetryableException("no such recipient");
        }
        if (answersToLose.getAndUpdate((left) -> Math.max(0, left - 1)) > 0) {
            throw new IllegalStateException("the answer was lost");
        }
    }

    void loseAnswers(int answers) {
        answersToLose.set(answers);
    }

    void refuse(String recipient) {
        refused.add(recipient);
    }

    void acceptAgain(String recipient) {
        refused.remove(recipient);
    }

    List<Call> callsFor(String recipient) {
        return calls.stream()
                .filter((call) -> call.recipient().equals(recipient))
                .toList();
    }

    record Call(String recipient, String message, UUID key, boolean inTransaction, boolean holdsConnection) {}
}
