package dev.outbox.benchmarks.worker.spring;

import dev.outbox.benchmarks.worker.Transactions;
import java.util.function.LongConsumer;
import javax.sql.DataSource;
import org.springframework.core.Ordered;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Transactions of a Spring application. */
public final class SpringTransactions implements Transactions {

    private final DataSource dataSource;
    private final TransactionTemplate template;

    /** Creates the transactions of an application. */
    public SpringTransactions(DataSource dataSource, PlatformTransactionManager manager) {
        this.dataSource = dataSource;
        this.template = new TransactionTemplate(manager);
    }

    @Override
    public void run(Work work, LongConsumer committed) throws Exception {
        template.executeWithoutResult((status) -> {
            TransactionSynchronizationManager.registerSynchronization(new FirstToKnow(committed));
            try {
                work.on(DataSourceUtils.getConnection(dataSource));
            } catch (RuntimeException ex) {
                throw ex;
            } catch (Exception ex) {
                throw new IllegalStateException(ex);
            }
        });
    }

    /** Runs before the contestant's callbacks after a commit. */
    private record FirstToKnow(LongConsumer committed) implements TransactionSynchronization {

        @Override
        public int getOrder() {
            return Ordered.HIGHEST_PRECEDENCE;
        }

        @Override
        public void afterCommit() {
            committed.accept(System.nanoTime());
        }
    }
}
