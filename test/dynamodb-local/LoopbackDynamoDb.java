import java.net.InetSocketAddress;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import software.amazon.dynamodb.services.local.server.LocalDynamoDBRequestHandler;
import software.amazon.dynamodb.services.local.server.LocalDynamoDBServerHandler;

/**
 * DynamoDB Local in memory, on a free port of loopback, until its input is closed.
 *
 * Its own main class listens on every address of the machine, and cannot choose a free port.
 */
class LoopbackDynamoDb {
  public static void main(String[] args) throws Exception {
    var tables = new LocalDynamoDBRequestHandler(0, true, null, false, false);
    var server = new Server(new InetSocketAddress("127.0.0.1", 0));
    server.setHandler(new LocalDynamoDBServerHandler(tables, null));
    server.start();
    System.out.println(((ServerConnector) server.getConnectors()[0]).getLocalPort());

    // The parent process holds the other end of the input, which closes when the parent ends.
    while (System.in.read() >= 0) {}
    System.exit(0);
  }
}
