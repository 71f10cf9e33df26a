package shop

import dev.outbox.OutboxEvent
import dev.outbox.OutboxHandler
import dev.outbox.OutboxPublisher
import dev.outbox.test.OutboxTester
import dev.outbox.test.autoconfigure.AutoConfigureOutbox
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.extension.ExtendWith
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails
import org.springframework.boot.test.context.SpringBootTest
import org.springframework.boot.test.system.CapturedOutput
import org.springframework.boot.test.system.OutputCaptureExtension
import org.springframework.context.annotation.Import
import org.springframework.test.context.TestConstructor
import org.springframework.test.context.TestConstructor.AutowireMode
import org.springframework.transaction.PlatformTransactionManager
import org.springframework.transaction.support.TransactionTemplate

@JvmInline
value class Cents(val value: Long)

data class OrderPlaced(val orderId: String, val total: Cents)

data class OrderCancelled(val orderId: String, val by: String = "customer")

class Journal {

    @OutboxHandler(id = "journal")
    fun add(event: OrderPlaced) {
    }
}

@ExtendWith(OutputCaptureExtension::class)
@SpringBootTest(classes = [MissingModuleTest.Cancellations::class])
@AutoConfigureOutbox
@TestConstructor(autowireMode = AutowireMode.ALL)
class MissingModuleTest(
    private val publisher: OutboxPublisher,
    private val transactions: PlatformTransactionManager,
    private val outbox: OutboxTester,
    private val database: JdbcConnectionDetails,
) {

    @Test
    fun defaultsThatDoNotApplyAreExplained(output: CapturedOutput) {
        assertThat(output).contains(
            "Handlers take the Kotlin classes [shop.OrderCancelled], whose default values and null checks the mapper of payloads does" +
                " not know: add tools.jackson.module:jackson-module-kotlin",
        )
        val older = OutboxEvent.of("order", "1", mapOf("orderId" to "1")).withEventType("OrderCancelled")
        TransactionTemplate(transactions).executeWithoutResult { publisher.publish(older) }

        outbox.drain()

        outbox.assertThat().published("OrderCancelled").isDead()
            .withError("the Kotlin parameter 'by' has no value and may not be null")
    }

    @Test
    fun handlerOfAValueClassStopsTheStart() {
        assertThatThrownBy { start(WithJournal::class.java) }
            .hasStackTraceContaining("handler 'journal' takes shop.OrderPlaced, which can be stored and never read")
            .hasStackTraceContaining("; add the dependency tools.jackson.module:jackson-module-kotlin")
    }

    @Test
    fun suspendingHandlerStopsTheStart() {
        assertThatThrownBy { start(Suspending::class.java) }
            .hasStackTraceContaining("is a suspend function; remove suspend")
    }

    private fun start(application: Class<*>) = SpringApplicationBuilder(application).run(
        "--spring.datasource.url=${database.jdbcUrl}",
        "--spring.datasource.username=${database.username}",
        "--spring.datasource.password=${database.password}",
    )

    @EnableAutoConfiguration
    class Cancellations {

        @OutboxHandler(id = "cancellations")
        fun handle(event: OrderCancelled) {
        }
    }

    @EnableAutoConfiguration
    class Suspending {

        @OutboxHandler
        suspend fun handle(event: OrderCancelled) {
        }
    }

    @EnableAutoConfiguration
    @Import(Journal::class)
    class WithJournal
}
