package dev.outbox.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.outbox.InvalidTransactionException;
import dev.outbox.OutboxException;
import dev.outbox.fixture.Orders.OrderPaid;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.testing.Guarantee;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

class PublisherTransactionTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    @BeforeEach
    void createDomainTable() {
        outbox.update("CREATE TABLE domain (id text PRIMARY KEY)");
    }

    @Test
    @Guarantee(value = "G1", sentence = "An event is stored if and only if the publisher's transaction commits.")
    void storesEventOnlyIfTransactionCommits() {
        changeAndPublish(outbox.transactions(), "committed", false);
        changeAndPublish(outbox.transactions(), "rolledBack", true);

        assertThat(domain()).containsExactly("committed");
        assertThat(stored()).containsExactly("committed");
    }

    @Test
    @Guarantee(value = "G1", sentence = "A savepoint that is rolled back removes its events.")
    void savepointRollbackRemovesItsEvents() {
        TransactionTemplate nested = propagating(TransactionDefinition.PROPAGATION_NESTED);
        outbox.transactions().executeWithoutResult((status) -> {
            insert("outer");
            changeAndPublish(nested, "inner", true);
            changeAndPublish(nested, "kept", false);
            outbox.publisher().publish("order", "outer", new OrderPaid(2));
        });

        assertThat(domain()).containsExactly("kept", "outer");
        assertThat(stored()).containsExactly("kept", "outer");
        assertThat(outbox.publish("inner", new OrderPlaced(1)).sequence())
                .as("no gap")
                .isEqualTo(1);
    }

    @Test
    @Guarantee(value = "G1", sentence = "An inner transaction commits its own events, whatever the outer one does.")
    void innerTransactionCommitsItsOwnEvents() {
        TransactionTemplate requiresNew = propagating(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        outbox.transactions().executeWithoutResult((status) -> {
            outbox.publisher().publish("order", "outer", new OrderPlaced(1));
            changeAndPublish(requiresNew, "inner", false);
            status.setRollbackOnly();
        });

        assertThat(stored()).containsExactly("inner");
    }

    @Test
    void publishingOutsideATransactionIsRefused() {
        assertThatThrownBy(() -> outbox.publisher().publish("order", "1", new OrderPlaced(1)))
                .isInstanceOf(InvalidTransactionException.class)
                .isInstanceOf(OutboxException.class)
                .hasMessageContaining("no transaction is active")
                .hasMessageContaining("@Transactional");
        assertThat(stored()).isEmpty();
    }

    @Test
    void publishingUnderAManagerWithoutSynchronizationIsRefused() {
        JdbcTransactionManager silent = new JdbcTransactionManager(outbox.dataSource());
        silent.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);

        assertThatThrownBy(() -> new TransactionTemplate(silent)
                        .executeWithoutResult((status) -> outbox.publisher().publish("order", "1", new OrderPlaced(1))))
                .isInstanceOf(InvalidTransactionException.class)
                .hasMessage(
                        "the transaction manager does not synchronize its transactions, so the outbox cannot follow them; set"
                                + " its transactionSynchronization to SYNCHRONIZATION_ALWAYS, the default");
        assertThat(stored()).isEmpty();
    }

    @Test
    void publishingInAReadOnlyTransactionIsRefused() {
        TransactionTemplate readOnly = outbox.transactions();
        readOnly.setReadOnly(true);
        readOnly.setName("Reports.list");

        assertThatThrownBy(() -> readOnly.executeWithoutResult(
                        (status) -> outbox.publisher().publish("order", "1", new OrderPlaced(1))))
                .isInstanceOf(InvalidTransactionException.class)
                .hasMessageContaining("Reports.list is read-only");
    }

    @Test
    void publishingInAnotherDataSourcesTransactionIsRefused() {
        try (TestOutbox other = TestOutbox.create()) {
            assertThatThrownBy(() ->
                            other.inTransaction(() -> outbox.publisher().publish("order", "1", new OrderPlaced(1))))
                    .isInstanceOf(InvalidTransactionException.class)
                    .hasMessageContaining("does not use the outbox's DataSource");
        }
        assertThat(stored()).isEmpty();
    }

    @Test
    void publishingAfterCommitNeedsItsOwnTransaction() {
        TransactionTemplate requiresNew = propagating(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        List<Throwable> refused = new ArrayList<>();
        outbox.transactions().executeWithoutResult((status) -> {
            outbox.publisher().publish("order", "before", new OrderPlaced(1));
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    refused.add(catchThrowable(() -> outbox.publisher().publish("order", "late", new OrderPlaced(1))));
                    changeAndPublish(requiresNew, "own", false);
                    refused.add(catchThrowable(() -> outbox.publisher().publish("order", "late", new OrderPlaced(1))));
                }

                @Override
                public void afterCompletion(int completion) {
                    refused.add(catchThrowable(() -> outbox.publisher().publish("order", "late", new OrderPlaced(1))));
                }
            });
        });

        assertThat(refused)
                .hasSize(3)
                .allSatisfy((error) -> assertThat(error)
                        .isInstanceOf(InvalidTransactionException.class)
                        .hasMessageContaining("REQUIRES_NEW"));
        changeAndPublish(outbox.transactions(), "next", false);
        assertThat(stored()).containsExactly("before", "next", "own");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void publishingAfterTheCommitOfAManagerThatIsNoBeanIsRefused(boolean before) {
        DataSource dataSource = outbox.dataSource();
        TransactionTemplate unknown = new TransactionTemplate(new JdbcTransactionManager(dataSource));
        TransactionTemplate requiresNew = new TransactionTemplate(new JdbcTransactionManager(dataSource));
        requiresNew.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        List<Throwable> refused = new ArrayList<>();
        unknown.executeWithoutResult((status) -> {
            if (before) {
                outbox.publisher().publish("order", "before", new OrderPlaced(1));
            }
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void beforeCommit(boolean readOnly) {
                    outbox.publisher().publish("order", "beforeCommit", new OrderPlaced(1));
                }

                @Override
                public void afterCommit() {
                    refused.add(catchThrowable(() -> outbox.publisher().publish("order", "late", new OrderPlaced(1))));
                    refused.add(catchThrowable(() -> changeAndPublish(unknown, "late", false)));
                    changeAndPublish(requiresNew, "own", false);
                }

                @Override
                public void afterCompletion(int completion) {
                    refused.add(catchThrowable(() -> outbox.publisher().publish("order", "late", new OrderPlaced(1))));
                }
            });
        });

        assertThat(refused)
                .hasSize(3)
                .allSatisfy((error) -> assertThat(error).isInstanceOf(InvalidTransactionException.class));
        changeAndPublish(unknown, "next", false);
        assertThat(stored())
                .containsExactlyElementsOf(
                        before
                                ? List.of("before", "beforeCommit", "next", "own")
                                : List.of("beforeCommit", "next", "own"));
    }

    @Test
    void firstEventIsRefusedAfterTheCommitOfAManagerThatIsNoBean() {
        TransactionTemplate unknown = new TransactionTemplate(new JdbcTransactionManager(outbox.dataSource()));
        TransactionTemplate requiresNew = new TransactionTemplate(new JdbcTransactionManager(outbox.dataSource()));
        requiresNew.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        List<Throwable> refused = new ArrayList<>();
        unknown.executeWithoutResult((status) ->
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        refused.add(
                                catchThrowable(() -> outbox.publisher().publish("order", "late", new OrderPlaced(1))));
                        refused.add(catchThrowable(() -> changeAndPublish(unknown, "late", false)));
                        requiresNew.executeWithoutResult((inner) -> {
                            TransactionSynchronizationManager.registerSynchronization(
                                    new TransactionSynchronization() {});
                            outbox.publisher().publish("order", "own", new OrderPlaced(1));
                        });
                    }
                }));

        assertThat(refused)
                .hasSize(2)
                .allSatisfy((error) -> assertThat(error)
                        .isInstanceOf(InvalidTransactionException.class)
                        .hasMessageContaining("REQUIRES_NEW"));
        assertThat(stored()).containsExactly("own");
    }

    @Test
    void transactionAwareProxyOfTheDataSourceIsRecognised() {
        TransactionTemplate transactions = new TransactionTemplate(
                new DataSourceTransactionManager(new TransactionAwareDataSourceProxy(outbox.dataSource())));
        transactions.executeWithoutResult((status) -> outbox.publisher().publish("order", "1", new OrderPlaced(1)));

        assertThat(stored()).containsExactly("1");
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                TransactionDefinition.ISOLATION_READ_COMMITTED,
                TransactionDefinition.ISOLATION_REPEATABLE_READ,
                TransactionDefinition.ISOLATION_SERIALIZABLE
            })
    void everyIsolationLevelCanPublish(int isolation) {
        TransactionTemplate transactions = outbox.transactions();
        transactions.setIsolationLevel(isolation);
        transactions.executeWithoutResult((status) -> {
            outbox.publisher().publish("order", "1", new OrderPlaced(1));
            outbox.publisher().publish("order", "1", new OrderPaid(2));
        });

        assertThat(stored()).containsExactly("1", "1");
    }

    @ParameterizedTest
    @ValueSource(ints = {TransactionDefinition.ISOLATION_REPEATABLE_READ, TransactionDefinition.ISOLATION_SERIALIZABLE})
    void laterPublisherOfAnAggregateFailsAtAHigherIsolationLevel(int isolation) {
        changeAndPublish(outbox.transactions(), "1", false);
        TransactionTemplate transactions = outbox.transactions();
        transactions.setIsolationLevel(isolation);
        TransactionTemplate requiresNew = propagating(TransactionDefinition.PROPAGATION_REQUIRES_NEW);

        assertThatThrownBy(() -> transactions.executeWithoutResult((status) -> {
                    domain();
                    requiresNew.executeWithoutResult(
                            (inner) -> outbox.publisher().publish("order", "1", new OrderPaid(2)));
                    outbox.publisher().publish("order", "1", new OrderPaid(3));
                }))
                .isInstanceOf(ConcurrencyFailureException.class)
                .rootCause()
                .isInstanceOfSatisfying(
                        SQLException.class, (ex) -> assertThat(ex.getSQLState()).isEqualTo("40001"));
        assertThat(stored()).containsExactly("1", "1");
    }

    private void changeAndPublish(TransactionTemplate transactions, String id, boolean rollBack) {
        transactions.executeWithoutResult((status) -> {
            insert(id);
            outbox.publisher().publish("order", id, new OrderPlaced(1));
            if (rollBack) {
                status.setRollbackOnly();
            }
        });
    }

    private TransactionTemplate propagating(int propagation) {
        TransactionTemplate transactions = outbox.transactions();
        transactions.setPropagationBehavior(propagation);
        return transactions;
    }

    private void insert(String id) {
        outbox.update("INSERT INTO domain VALUES (?)", id);
    }

    private List<String> domain() {
        return outbox.values(String.class, "SELECT id FROM domain ORDER BY id");
    }

    private List<String> stored() {
        return outbox.values(String.class, "SELECT aggregate_id FROM events.outbox ORDER BY aggregate_id");
    }
}
