package dev.outbox.spring.autoconfigure.events;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.dao.support.DataAccessUtils;
import org.springframework.dao.support.PersistenceExceptionTranslator;
import org.springframework.orm.jpa.EntityManagerFactoryInfo;
import org.springframework.orm.jpa.EntityManagerFactoryUtils;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.orm.jpa.JpaDialect;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Persistence contexts of the calling thread's transaction. */
final class PersistenceContexts implements PendingChanges {

    private final ObjectProvider<EntityManagerFactory> factories;

    PersistenceContexts(ObjectProvider<EntityManagerFactory> factories) {
        this.factories = factories;
    }

    @Override
    public void flush() {
        factories.stream(ObjectProvider.UNFILTERED).forEach(PersistenceContexts::flush);
    }

    private static void flush(EntityManagerFactory factory) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()
                || TransactionSynchronizationManager.isCurrentTransactionReadOnly()
                || !(TransactionSynchronizationManager.getResource(factory) instanceof EntityManagerHolder holder)) {
            return;
        }
        EntityManager context = holder.getEntityManager();
        if (context.isJoinedToTransaction()) {
            try {
                context.flush();
            } catch (RuntimeException ex) {
                throw DataAccessUtils.translateIfNecessary(ex, translator(factory));
            }
        }
    }

    private static PersistenceExceptionTranslator translator(EntityManagerFactory factory) {
        JpaDialect dialect = factory instanceof EntityManagerFactoryInfo info ? info.getJpaDialect() : null;
        return dialect != null ? dialect : EntityManagerFactoryUtils::convertJpaAccessExceptionIfPossible;
    }
}
