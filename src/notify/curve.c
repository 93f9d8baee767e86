/* curve.c - P-256 by OpenSSL. */
#include "notify/curve.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/param_build.h>

#include "base/must.h"
#include "base/random.h"

#define DER_MAX 80 /* of a signature: 72 at most */

static EC_GROUP *curve(void)
{
	EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);

	if (!group)
		must_give_up("libcrypto gives no P-256");
	return group;
}

bool curve_point(const unsigned char secret[CURVE_SECRET], unsigned char point[CURVE_POINT])
{
	EC_GROUP *group = curve();
	EC_POINT *p = EC_POINT_new(group);
	BIGNUM *k = BN_bin2bn(secret, CURVE_SECRET, NULL);
	bool good = p && k && !BN_is_zero(k) && BN_cmp(k, EC_GROUP_get0_order(group)) < 0 &&
	            EC_POINT_mul(group, p, k, NULL, NULL, NULL) &&
	            EC_POINT_point2oct(group, p, POINT_CONVERSION_UNCOMPRESSED, point, CURVE_POINT,
	                               NULL) == CURVE_POINT;

	BN_clear_free(k);
	EC_POINT_free(p);
	EC_GROUP_free(group);
	ERR_clear_error();
	return good;
}

void curve_draw(unsigned char secret[CURVE_SECRET])
{
	unsigned char point[CURVE_POINT];

	do
		random_bytes(secret, CURVE_SECRET);
	while (!curve_point(secret, point));
}

/* A key of the point, with its secret or without. */
static EVP_PKEY *make_key(const unsigned char *secret, const unsigned char point[CURVE_POINT])
{
	OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
	BIGNUM *k = secret ? BN_bin2bn(secret, CURVE_SECRET, NULL) : NULL;
	OSSL_PARAM *params = NULL;
	EVP_PKEY *key = NULL;

	if (build && context && (!secret || k) &&
	    OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) &&
	    OSSL_PARAM_BLD_push_octet_string(build, OSSL_PKEY_PARAM_PUB_KEY, point, CURVE_POINT) &&
	    (!k || OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_PRIV_KEY, k)))
		params = OSSL_PARAM_BLD_to_param(build);
	if (params && EVP_PKEY_fromdata_init(context) > 0)
		EVP_PKEY_fromdata(context, &key, k ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY,
		                  params);
	OSSL_PARAM_free(params);
	OSSL_PARAM_BLD_free(build);
	EVP_PKEY_CTX_free(context);
	BN_clear_free(k);
	ERR_clear_error();
	return key;
}

static EVP_PKEY *make_own(const unsigned char secret[CURVE_SECRET])
{
	unsigned char point[CURVE_POINT];

	return curve_point(secret, point) ? make_key(secret, point) : NULL;
}

bool curve_has(const unsigned char point[CURVE_POINT])
{
	EVP_PKEY *key = make_key(NULL, point);
	EVP_PKEY_CTX *context = key ? EVP_PKEY_CTX_new(key, NULL) : NULL;
	bool good = context && EVP_PKEY_public_check(context) > 0;

	EVP_PKEY_CTX_free(context);
	EVP_PKEY_free(key);
	ERR_clear_error();
	return good;
}

bool curve_share(const unsigned char secret[CURVE_SECRET], const unsigned char other[CURVE_POINT],
                 unsigned char shared[CURVE_SHARED])
{
	EVP_PKEY *own = make_own(secret), *peer = make_key(NULL, other);
	EVP_PKEY_CTX *context = own ? EVP_PKEY_CTX_new(own, NULL) : NULL;
	size_t len = CURVE_SHARED;
	bool good = context && peer && EVP_PKEY_derive_init(context) > 0 &&
	            EVP_PKEY_derive_set_peer(context, peer) > 0 &&
	            EVP_PKEY_derive(context, shared, &len) > 0 && len == CURVE_SHARED;

	EVP_PKEY_CTX_free(context);
	EVP_PKEY_free(peer);
	EVP_PKEY_free(own);
	ERR_clear_error();
	return good;
}

/* OpenSSL writes DER; ES256 has both numbers in 32 bytes each. */
static bool cut_numbers(const unsigned char *der, size_t len, unsigned char out[CURVE_SIGNATURE])
{
	ECDSA_SIG *both = d2i_ECDSA_SIG(NULL, &der, (long)len);
	bool good = both && BN_bn2binpad(ECDSA_SIG_get0_r(both), out, 32) == 32 &&
	            BN_bn2binpad(ECDSA_SIG_get0_s(both), out + 32, 32) == 32;

	ECDSA_SIG_free(both);
	return good;
}

bool curve_sign(const unsigned char secret[CURVE_SECRET], struct text words,
                unsigned char signature[CURVE_SIGNATURE])
{
	EVP_PKEY *own = make_own(secret);
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	unsigned char der[DER_MAX];
	size_t len = sizeof(der);
	bool good = own && context &&
	            EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, own) > 0 &&
	            EVP_DigestSign(context, der, &len, (const unsigned char *)words.at, words.len) >
	                    0 &&
	            cut_numbers(der, len, signature);

	EVP_MD_CTX_free(context);
	EVP_PKEY_free(own);
	ERR_clear_error();
	return good;
}
