package dev.outbox.spring.autoconfigure;

import dev.outbox.spring.OutboxDataSource;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;

/** Matches if exactly one {@code DataSource} qualifies for the outbox. */
final class OnOutboxDataSource extends AnyNestedCondition {

    OnOutboxDataSource() {
        super(ConfigurationPhase.REGISTER_BEAN);
    }

    @ConditionalOnSingleCandidate(DataSource.class)
    static final class OneDataSource {}

    @ConditionalOnBean(annotation = OutboxDataSource.class)
    static final class MarkedDataSource {}
}
